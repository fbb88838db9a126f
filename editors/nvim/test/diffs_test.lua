-- The diff: which change it shows, going on from it, taking back in it.

package.path = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h") .. "/?.lua;" .. package.path
local cases = require("cases")
local reviewing = require("reviewing")
local equal, holds = cases.equal, cases.holds
local nine, three_hunks = reviewing.nine, reviewing.three_hunks
local call, overwrite, start, waits = reviewing.call, reviewing.overwrite, reviewing.start, reviewing.waits

local two_files = {
  files = { ["a.txt"] = nine, ["b.txt"] = "x\ny\n" },
  script = overwrite(three_hunks)
    .. "%s"
    .. call("c2", "edit_file", { file_path = "b.txt", old_string = "y", new_string = "Y" })
    .. "----\ntext \"Done.\"\n",
}

---@param mode drawbridge.Mode
---@param between string What ends the step of the first change, where one is to come after the other.
---@return test.ReviewOptions
local function both(mode, between)
  return vim.tbl_extend("force", two_files, { mode = mode, script = two_files.script:format(between) })
end

-- The change that the diff at hand shows, its line, and the windows beside it.
---@param child test.Child
local function at(child)
  return child:lua([[
    local file = vim.api.nvim_buf_get_name(0):match("diff/g%d+/new/(%a)%.txt")
    return file and ("%s:%d of %d"):format(file, vim.api.nvim_win_get_cursor(0)[1], #vim.api.nvim_tabpage_list_wins(0))
  ]])
end

---@param child test.Child
---@param where string
local function is_at(child, where)
  child:wait("the diff is at " .. where, function()
    return at(child) == where
  end)
end

---@param child test.Child
local function diff_shown(child)
  child:wait("the diff is shown", "vim.wo.diff and #vim.api.nvim_tabpage_list_wins(0) == 2")
end

cases.run({
  {
    "next goes from hunk to hunk in the diff, then to the next file's diff",
    function()
      local child = start(both("always-ask", ""))
      waits(child, 4)
      child:ex("Drawbridge diff") -- of the file at hand
      diff_shown(child)
      is_at(child, "a:1 of 2")
      for _, where in ipairs({ "a:5 of 2", "a:10 of 2", "b:2 of 2", "a:1 of 2" }) do
        child:ex("Drawbridge next")
        is_at(child, where)
      end
      child:ex("Drawbridge prev")
      is_at(child, "b:2 of 2")
      equal(2, child:lua("return #vim.api.nvim_list_tabpages()"), "the diff that was left is gone")
      waits(child, 4)
      holds(not child:said():find("nothing was decided", 1, true), child:said())
    end,
  },
  {
    "from a diff one goes to the file in a tab of its own, never beside the two",
    function()
      local child = start({})
      waits(child, 3)
      child:ex("Drawbridge diff")
      diff_shown(child)
      child:ex("Drawbridge review g1")
      child:wait("the file is at hand", [[vim.api.nvim_buf_get_name(0):find("/a.txt$") and not vim.wo.diff]])
      equal({ 1, 2 }, child:lua([[return vim.tbl_map(function(tab)
        return #vim.api.nvim_tabpage_list_wins(tab)
      end, vim.api.nvim_list_tabpages())]]), "windows of each tab")
    end,
  },
  {
    "diff without a name shows the last change; names are completed with their files",
    function()
      local child = start(both("auto-edit", "----\n"))
      child:ended()
      waits(child, 4)
      reviewing.read(child)
      child:ex("Drawbridge acceptall")
      waits(child, 0)
      equal({ "g2:b.txt", "g1:a.txt" }, child:lua([[return vim.fn.getcompletion("Drawbridge diff ", "cmdline")]]))
      child:ex("Drawbridge diff")
      diff_shown(child)
      is_at(child, "b:2 of 2")
      child:ex("tabclose")
      child:ex("Drawbridge diff g1:a.txt")
      is_at(child, "a:1 of 2")
    end,
  },
  {
    "a hunk of an applied change is taken back in its diff, which says so",
    function()
      local child = start({ mode = "auto-edit" })
      child:ended()
      waits(child, 3)
      reviewing.read(child)
      child:ex("Drawbridge acceptall")
      waits(child, 0)
      child:ex("Drawbridge diff")
      diff_shown(child)
      child:sees("applied · take back")
      child:ex("Drawbridge next")
      is_at(child, "a:5 of 2")
      child:ex("Drawbridge accept")
      child:hears("this is applied already")
      child:ex("Drawbridge reject")
      child:wait("the hunk is taken back, and no other", function()
        return table.concat(child:lines("/a.txt"), " ") == "ONE two three four five six seven eight nine ten"
      end)
      child:sees("not applied")
      waits(child, 0)
      child:ex("Drawbridge reject!")
      child:wait("so are the others", function()
        return table.concat(child:lines("/a.txt"), "\n") .. "\n" == nine
      end)
      child:wait("the diff of what does not stand is gone", "#vim.api.nvim_list_tabpages() == 1")
    end,
  },
  {
    "review without a change that waits offers the settled ones, with file, size and state",
    function()
      local child = start(vim.tbl_extend("force", both("auto-edit", "----\n"), {
        before = [[
          vim.ui.select = function(items, opts, cb)
            labels = vim.tbl_map(opts.format_item, items)
            cb(items[2])
          end
        ]],
      }))
      child:ended()
      waits(child, 4)
      reviewing.read(child)
      child:ex("Drawbridge acceptall")
      waits(child, 0)
      child:ex("Drawbridge review")
      waits(child, 3)
      equal({ "b.txt  +1 −1  applied  (g2)", "a.txt  +3 −2  applied  (g1)" }, child:lua("return labels"))
      child:ex("Drawbridge reject!")
      child:wait("it is taken back", function()
        return table.concat(child:lines("/a.txt"), "\n") .. "\n" == nine
      end)
    end,
  },
})
