-- Review elsewhere: the diff, a draft, the quickfix list, from file to file.

package.path = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h") .. "/?.lua;" .. package.path
local cases = require("cases")
local reviewing = require("reviewing")
local equal, holds = cases.equal, cases.holds
local nine, three_hunks = reviewing.nine, reviewing.three_hunks
local call, overwrite, start = reviewing.call, reviewing.overwrite, reviewing.start
local waits, line_is = reviewing.waits, reviewing.line_is

cases.run({
  {
    ":q on the diff decides nothing and says so once; saving it writes nothing (A17, A20)",
    function()
      local child = start({})
      waits(child, 3)
      child:ex("Drawbridge diff")
      child:wait("the diff is shown", "vim.wo.diff and #vim.api.nvim_tabpage_list_wins(0) == 2")
      child:ex("write")
      child:hears("the file is a.txt")
      equal(nine, child:file("a.txt"))
      child:ex("quit")
      child:hears("nothing was decided")
      child:wait("both sides are gone", "#vim.api.nvim_list_tabpages() == 1")
      waits(child, 3)
      holds(child:lua([[return #require("drawbridge.approvals").pending() == 1]]), "the question still waits")
      child:ex("Drawbridge diff")
      child:wait("the diff is shown again", "vim.wo.diff")
      reviewing.read(child)
      child:ex("Drawbridge accept!")
      child:ended()
      child:wait("the diff is gone when all is settled", "#vim.api.nvim_list_tabpages() == 1")
      equal("ONE", child:lines()[1])
    end,
  },
  {
    "hunks are decided in the diff",
    function()
      local child = start({})
      waits(child, 3)
      child:ex("Drawbridge diff")
      child:wait("the diff is shown", "vim.wo.diff")
      child:keys("5G")
      child:ex("Drawbridge accept")
      waits(child, 2)
      child:sees("accepted")
      child:ex("Drawbridge reject!")
      child:ended()
      equal("one two three four FIVE six seven eight nine", table.concat(child:lines("/a.txt"), " "))
    end,
  },
  {
    "an autosave that writes on every change accepts nothing and loses nothing",
    function()
      local child = start({
        before = [[
          vim.api.nvim_create_autocmd({ "TextChanged", "TextChangedI", "InsertLeave", "BufLeave" }, { nested = true,
            callback = function() vim.cmd("silent! write") end })
        ]],
      })
      waits(child, 3)
      child:ex("Drawbridge edit")
      child:wait("the draft is shown", [[vim.api.nvim_buf_get_name(0):find("drawbridge://edit/", 1, true) ~= nil]])
      child:keys("ggcwUNO<Esc>")
      child:wait("it was written by the autosave", function()
        return child:lines()[1] == "UNO" and child:lua("return not vim.bo.modified")
      end)
      equal(nine, child:file("a.txt"))
      waits(child, 3)
      child:ex("Drawbridge accept")
      child:ended()
      child:wait("the edited text is in the file's buffer", function()
        return (child:lines("/a.txt") or {})[1] == "UNO"
      end)
      equal("FIVE", child:lines("/a.txt")[5])
      equal("", table.concat(child:lua([[return vim.tbl_filter(function(n) return n:find("drawbridge://edit") ~= nil end,
        vim.tbl_map(vim.api.nvim_buf_get_name, vim.api.nvim_list_bufs()))]])))
    end,
  },
  {
    "the quickfix list names every hunk that waits, and follows (A30)",
    function()
      local child = start({
        files = { ["a.txt"] = nine, ["b.txt"] = "x\ny\n" },
        script = overwrite(three_hunks)
          .. call("c2", "edit_file", { file_path = "b.txt", old_string = "x\n", new_string = "" })
          .. "----\ntext \"Done.\"\n",
      })
      waits(child, 4)
      child:ex("Drawbridge quickfix")
      local function list()
        return child:lua([[return vim.tbl_map(function(i)
          return vim.fs.basename(vim.fn.bufname(i.bufnr)) .. ":" .. i.lnum .. " " .. i.type .. " " .. i.text
        end, vim.fn.getqflist())]])
      end
      child:wait("it is open", [[vim.bo.buftype == "quickfix"]])
      equal({ "a.txt:1 M ONE", "a.txt:5 M FIVE", "a.txt:10 A ten", "b.txt:1 D x" }, list())
      child:keys("2G<CR>")
      line_is(child, 5)
      child:ex("Drawbridge reject")
      child:wait("the list followed", function()
        return vim.deep_equal(list(), { "a.txt:1 M ONE", "a.txt:10 A ten", "b.txt:1 D x" })
      end)
      child:ex("Drawbridge rejectall")
      child:ended()
      child:wait("it is empty", function()
        return #list() == 0
      end)
      equal("x\ny\n", child:file("b.txt"))
    end,
  },
  {
    "next goes over all files and around the end",
    function()
      local child = start({
        files = { ["a.txt"] = nine, ["b.txt"] = "x\ny\n" },
        script = overwrite(three_hunks)
          .. call("c2", "edit_file", { file_path = "b.txt", old_string = "y", new_string = "Y" })
          .. "----\ntext \"Done.\"\n",
      })
      waits(child, 4)
      local function at()
        return child:lua([[return vim.fs.basename(vim.api.nvim_buf_get_name(0)) .. ":" .. vim.api.nvim_win_get_cursor(0)[1] ]])
      end
      local seen = {}
      for i = 1, 5 do
        local before = at()
        child:ex("Drawbridge next")
        child:wait("it went on", function()
          return at() ~= before
        end)
        seen[i] = at()
      end
      equal({ "a.txt:5", "a.txt:9", "b.txt:2", "a.txt:1", "a.txt:5" }, seen)
      child:ex("Drawbridge prev")
      line_is(child, 1)
      child:ex("Drawbridge prev")
      child:wait("around to the last", function()
        return at() == "b.txt:2"
      end)
    end,
  },
  {
    "a settled change is shown again, and taken back after all (A46)",
    function()
      local child = start({})
      waits(child, 3)
      reviewing.read(child)
      child:ex("Drawbridge accept!")
      child:ended()
      waits(child, 0)
      child:ex("Drawbridge diff g1")
      child:wait("the diff is shown", "vim.wo.diff")
      equal(nine, table.concat(child:lua([[
        return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(vim.api.nvim_tabpage_list_wins(0)[1]), 0, -1, false)
      ]]), "\n") .. "\n")
      child:ex("tabclose")
      child:ex("Drawbridge review g1")
      waits(child, 3)
      child:ex("Drawbridge reject!")
      child:wait("all is as before", function()
        return table.concat(child:lines("/a.txt"), "\n") .. "\n" == nine
      end)
    end,
  },
  {
    "an edited draft outlives a question that is withdrawn",
    function()
      local child = start({})
      waits(child, 3)
      child:ex("Drawbridge edit")
      child:wait("the draft is shown", [[vim.api.nvim_buf_get_name(0):find("drawbridge://edit/", 1, true) ~= nil]])
      child:keys("ggcwUNO<Esc>")
      child:ex("write")
      child:hears("nothing is accepted yet")
      child:ex("Drawbridge stop")
      child:ended()
      child:hears("your text stays in this buffer")
      equal("UNO", child:lines()[1])
      equal("nofile", child:lua("return vim.bo.buftype"))
      child:ex("Drawbridge accept")
      child:hears("nothing was accepted: the question of this draft no longer stands")
      equal(nine, child:file("a.txt"))
    end,
  },
  {
    "line ends and a missing last line break stay as they are",
    function()
      local child = start({
        files = { ["a.txt"] = "one\r\ntwo\r\nthree" },
        before = "vim.o.fixendofline = false", -- else Neovim itself adds one when it saves
        script = call("c1", "edit_file", { file_path = "a.txt", old_string = "two", new_string = "TWO" })
          .. "----\ntext \"Done.\"\n",
      })
      waits(child, 1)
      child:ex("Drawbridge edit")
      child:wait("the draft is shown", [[vim.api.nvim_buf_get_name(0):find("drawbridge://edit/", 1, true) ~= nil]])
      equal({ "one", "TWO", "three" }, child:lines())
      child:keys("ggcwONE<Esc>")
      child:ex("Drawbridge accept")
      child:ended()
      child:ex("wall")
      child:wait("it is saved", function()
        return child:file("a.txt") == "ONE\r\nTWO\r\nthree"
      end)
    end,
  },
})
