-- Open files: what the bridge hears of them, and how its edits arrive in them.

package.path = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h") .. "/?.lua;" .. package.path
local cases = require("cases")
local child_of = require("child")
local equal, holds = cases.equal, cases.holds

--- A child in which edits happen without a question.
local function editing(files, script, more)
  return child_of.start({
    files = files,
    script = script,
    options = vim.tbl_extend("force", { mode = "allow-all" }, more or {}),
  })
end

local edit_b = [[
call c1 edit_file {"file_path":"a.txt","old_string":"bravo","new_string":"BRAVO\nBRAVO"}
----
text "Done.\n"
]]

cases.run({
  {
    "an edit goes into unsaved text; cursor, marks and folds below it move along",
    function()
      local child = editing({ ["a.txt"] = "alpha\nbravo\ncharlie\ndelta\n" }, edit_b)
      child:ex("edit a.txt")
      child:keys("ounsaved<Esc>4Gmx$")
      child:wait("typed", [[vim.api.nvim_buf_line_count(0) == 5]])
      child:prompt("go")
      child:ended()
      equal({ "alpha", "unsaved", "BRAVO", "BRAVO", "charlie", "delta" }, child:lines("a.txt"), "the buffer")
      local at = child:lua([[return { vim.fn.line("."), vim.fn.line("'x"), vim.bo.modified }]])
      equal({ 5, 5, true }, at, "cursor, mark, modified")
    end,
  },
  {
    "each edit is one undo step of its own, also while the person types",
    function()
      local child = editing({ ["a.txt"] = "alpha\nbravo\ncharlie\n" }, edit_b)
      child:ex("edit a.txt")
      child:keys("Gotyping")
      child:wait("typed", [[vim.api.nvim_buf_get_lines(0, -2, -1, false)[1] == "typing"]])
      child:prompt("go")
      child:ended()
      child:keys(" on<Esc>")
      child:wait("typed on", [[vim.api.nvim_buf_get_lines(0, -2, -1, false)[1] == "typing on"]])
      child:keys("u")
      child:wait("typing after the edit is undone alone", [[vim.deep_equal(vim.api.nvim_buf_get_lines(0, 0, -1, false), { "alpha", "BRAVO", "BRAVO", "charlie", "typing" })]])
      child:keys("u")
      child:wait("then the edit", [[vim.deep_equal(vim.api.nvim_buf_get_lines(0, 0, -1, false), { "alpha", "bravo", "charlie", "typing" })]])
      child:keys("u")
      child:wait("then what was typed before", [[vim.deep_equal(vim.api.nvim_buf_get_lines(0, 0, -1, false), { "alpha", "bravo", "charlie" })]])
    end,
  },
  {
    "a file that was closed is edited on the disk, and no buffer is made",
    function()
      local child = editing({ ["a.txt"] = "alpha\nbravo\n", ["b.txt"] = "b\n" }, edit_b)
      child:ex("edit a.txt")
      child:lua([[require("drawbridge.wiring") require("drawbridge.client").start(function() ready = true end)]])
      child:wait("ready", "ready")
      child:ex("edit b.txt")
      child:ex("bdelete a.txt")
      child:prompt("go")
      child:ended()
      equal("alpha\nBRAVO\nBRAVO\n", child:file("a.txt"), "the file")
      holds(not child:lines("a.txt"), "no buffer has it")
    end,
  },
  {
    "a hidden buffer and one of a file that is not there yet are documents too",
    function()
      local child = editing({}, [[
call c1 edit_file {"file_path":"new.txt","old_string":"fresh","new_string":"FRESH"}
----
text "Done.\n"
]])
      child:ex("set hidden")
      child:ex("edit new.txt")
      child:keys("ifresh<Esc>")
      child:wait("typed", [[vim.api.nvim_get_current_line() == "fresh"]])
      child:ex("enew")
      child:prompt("go")
      child:ended()
      equal({ "FRESH" }, child:lines("new.txt"), "the buffer")
      holds(not child:file("new.txt"), "nothing was written")
    end,
  },
  {
    "before a command runs, what the agent changed is saved; a person's own unsaved file is not",
    function()
      local child = editing({ ["a.txt"] = "alpha\nbravo\n", ["own.txt"] = "own\n" }, [[
call c1 edit_file {"file_path":"a.txt","old_string":"bravo","new_string":"BRAVO"}
----
call c2 exec_command {"cmd":"cat a.txt own.txt"}
----
want c2 "BRAVO"
wantnot c2 "mine"
text "Done.\n"
]])
      child:ex("set hidden")
      child:ex("edit own.txt")
      child:keys("omine<Esc>")
      child:ex("edit a.txt")
      child:prompt("go")
      local result = child:ended()
      equal("endTurn", result.stopReason, "how the turn ended: " .. vim.inspect(result))
      equal("alpha\nBRAVO\n", child:file("a.txt"), "a.txt")
      equal("own\n", child:file("own.txt"), "own.txt")
    end,
  },
  {
    "a file that a command changed is read anew, unless it has unsaved text",
    function()
      local child = editing({ ["a.txt"] = "one\n", ["b.txt"] = "two\n" }, [[
call c1 exec_command {"cmd":"echo changed > a.txt; echo changed > b.txt"}
----
text "Done.\n"
]])
      child:ex("set hidden")
      child:ex("edit b.txt")
      child:keys("ounsaved<Esc>")
      child:ex("edit a.txt")
      child:prompt("go")
      child:ended()
      child:wait("the new text is shown", function()
        return vim.deep_equal(child:lines("a.txt"), { "changed" })
      end)
      equal({ "two", "unsaved" }, child:lines("b.txt"), "b.txt")
    end,
  },
  {
    "text of several bytes before the edit does not shift it",
    function()
      local child = editing({ ["a.txt"] = "grüße 😀 bravo ende\n" }, edit_b)
      child:ex("edit a.txt")
      child:prompt("go")
      child:ended()
      equal({ "grüße 😀 BRAVO", "BRAVO ende" }, child:lines("a.txt"), "the buffer")
    end,
  },
  {
    "files outside the folder are not told to the bridge; a renamed one is told under its new name",
    function()
      local child = editing({ ["a.txt"] = "alpha\nbravo\n" }, edit_b)
      child:lua([[require("drawbridge.wiring") require("drawbridge.client").start(function() ready = true end)]])
      child:wait("ready", "ready")
      child:ex("edit " .. child.home .. "/outside.txt")
      child:ex("edit a.txt")
      child:wait("a.txt is told", [[require("drawbridge.client").version_of(vim.uri_from_bufnr(0))]])
      child:ex("saveas moved.txt")
      child:wait("moved.txt is told", [[require("drawbridge.client").version_of(vim.uri_from_fname(vim.fn.getcwd() .. "/moved.txt"))]])
      holds(
        child:lua([[
          local client = require("drawbridge.client")
          return not client.version_of(vim.uri_from_fname(vim.fn.getcwd() .. "/a.txt"))
            and not client.version_of(vim.uri_from_fname(vim.env.HOME .. "/outside.txt"))
        ]]),
        "neither the old name nor the file outside is open there"
      )
    end,
  },
})
