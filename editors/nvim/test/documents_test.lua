-- Open files: what the bridge hears of them, and how its edits arrive in them.

package.path = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h") .. "/?.lua;" .. package.path
local cases = require("cases")
local child_of = require("child")
local equal, holds = cases.equal, cases.holds

--- A child in which edits happen without a question.
local function editing(files, script, more, before)
  return child_of.start({
    files = files,
    script = script,
    before = before,
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
  {
    "a file in Shift-JIS is edited and saved in Shift-JIS; what it cannot hold is refused",
    function()
      local sjis = { day = "\147\250\150\123", word = "\140\234" } -- 日本, 語
      local child = editing({ ["a.txt"] = sjis.day .. "\n" .. sjis.word .. "\nend\n" }, [[
call c1 edit_file {"file_path":"a.txt","old_string":"日本\n","new_string":"日本語\n"}
----
want c1 "日本語"
call c2 edit_file {"file_path":"a.txt","old_string":"end","new_string":"😀"}
----
want c2 "shift_jis"
call c3 exec_command {"cmd":"od -An -tx1 a.txt"}
----
want c3 "93 fa 96 7b 8c ea 0a 8c ea 0a 65 6e 64 0a"
text "Done.\n"
]])
      child:ex("edit ++enc=sjis a.txt")
      child:wait("it is read", function()
        return vim.deep_equal(child:lines("a.txt"), { "日本", "語", "end" })
      end)
      child:prompt("go")
      local result = child:ended()
      equal("endTurn", result.stopReason, "how the turn ended: " .. vim.inspect(result))
      equal(sjis.day .. sjis.word .. "\n" .. sjis.word .. "\nend\n", child:file("a.txt"), "the bytes")
      equal({ "日本語", "語", "end" }, child:lines("a.txt"), "the buffer")
    end,
  },
  {
    "what a language server says of an edit reaches the model, and that it is mended by the next",
    function()
      local patient = "diagnostics:\n  wait: 30s\n" -- whoever looks may take his time here
      local child = editing({ ["a.txt"] = "alpha\nbravo\n", ["../home/config/drawbridge/config.yaml"] = patient }, [[
call c1 edit_file {"file_path":"a.txt","old_string":"bravo","new_string":"FAULT"}
----
want c1 "FAULT is not a word"
call c2 edit_file {"file_path":"a.txt","old_string":"FAULT","new_string":"charlie"}
----
want c2 "1 gone"
text "Done.\n"
]], nil, [[
        -- A language server in this process that finds every FAULT, after a while.
        local function serve(dispatchers)
          local function look(uri)
            vim.defer_fn(function()
              local found = {}
              for i, line in ipairs(vim.api.nvim_buf_get_lines(vim.uri_to_bufnr(uri), 0, -1, false)) do
                if line:find("FAULT") then
                  local at = { line = i - 1, character = 0 }
                  table.insert(found, { range = { start = at, ["end"] = { line = i - 1, character = 5 } },
                    severity = 1, message = "FAULT is not a word", source = "speller" })
                end
              end
              dispatchers.notification("textDocument/publishDiagnostics", { uri = uri, diagnostics = found })
            end, 80)
          end
          local closing = false
          return {
            request = function(method, _, callback)
              vim.schedule(function()
                callback(nil, method == "initialize" and { capabilities = { textDocumentSync = 1 } } or vim.NIL)
              end)
              return true, 1
            end,
            notify = function(method, params)
              if method == "textDocument/didOpen" or method == "textDocument/didChange" then
                look(params.textDocument.uri)
              end
              return true
            end,
            is_closing = function() return closing end,
            terminate = function() closing = true end,
          }
        end
        vim.api.nvim_create_autocmd("BufReadPost", { callback = function(args)
          vim.schedule(function()
            vim.lsp.start({ name = "speller", cmd = serve, root_dir = vim.fn.getcwd() }, { bufnr = args.buf })
          end)
        end })
      ]])
      child:ex("edit a.txt")
      child:wait("the server is there", [[#vim.lsp.get_clients({ name = "speller", bufnr = 0 }) == 1]])
      child:prompt("go")
      local result = child:ended()
      equal("endTurn", result.stopReason, "how the turn ended: " .. vim.inspect(result))
      local heard = child:lua([[
        local c = require("drawbridge.state").current()
        return { c.calls.c1.text, c.calls.c2.text }
      ]])
      holds(heard[1]:find("FAULT is not a word", 1, true), heard[1])
    end,
  },
})
