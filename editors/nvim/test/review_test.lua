-- Review in the file's own buffer: what is shown, what a decision does.

package.path = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h") .. "/?.lua;" .. package.path
local cases = require("cases")
local child_of = require("child")
local reviewing = require("reviewing")
local equal, holds = cases.equal, cases.holds
local nine, three_hunks = reviewing.nine, reviewing.three_hunks
local call, overwrite, start = reviewing.call, reviewing.overwrite, reviewing.start
local waits, line_is, marks = reviewing.waits, reviewing.line_is, reviewing.marks

cases.run({
  {
    "three hunks are shown, two are taken: the buffer has exactly these two",
    function()
      local child = start({ wants = 'want c1 "2 of 3 hunks applied"\n' })
      waits(child, 3)
      equal({
        "1 DrawbridgeDelete 1/3 proposed ",
        "1 - - ONE below",
        "5 DrawbridgeDelete 2/3 proposed ",
        "5 - - FIVE below",
        "9 - 3/3 proposed ",
        "9 - - ten below",
      }, marks(child))
      child:sees("ten")
      child:ex("Drawbridge accept")
      waits(child, 2)
      child:ex("Drawbridge next")
      line_is(child, 5)
      child:ex("Drawbridge reject")
      waits(child, 1)
      child:ex("Drawbridge next")
      line_is(child, 9)
      holds(child:lua([[return #require("drawbridge.approvals").pending() == 1]]), "nothing is answered before the last")
      child:ex("Drawbridge accept")
      child:ended()
      equal("ONE\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n", table.concat(child:lines(), "\n") .. "\n")
      equal({}, marks(child))
      waits(child, 0)
    end,
  },
  {
    "an unsaved buffer keeps its text, cursor and marks; the change is one undo step (A16)",
    function()
      local child = start({
        prepare = function(child)
          child:keys("3GA unsaved<Esc>7G$mx")
          child:wait("it is typed", [[vim.api.nvim_buf_get_mark(0, "x")[1] == 7]])
        end,
        script = call("c1", "edit_file", { file_path = "a.txt", old_string = "one\ntwo", new_string = "zero\nONE\ntwo" })
          .. call("c2", "edit_file", { file_path = "a.txt", old_string = "nine", new_string = "NINE" })
          .. "----\ntext \"Done.\"\n",
      })
      waits(child, 1)
      reviewing.read(child)
      child:ex("Drawbridge acceptall")
      child:wait("the other is asked", [[(require("drawbridge.review").pending()[1] or {}).changeId == "g2"]])
      reviewing.read(child)
      child:ex("Drawbridge acceptall")
      child:ended()
      equal({ "zero", "ONE", "two", "three unsaved", "four", "five", "six", "seven", "eight", "NINE" }, child:lines())
      equal(nine, child:file("a.txt"), "the disk is not touched behind the buffer")
      holds(child:lua("return vim.bo.modified"), "it is still unsaved")
      equal({ 8, 4 }, child:lua([[return vim.api.nvim_win_get_cursor(0)]]), "the cursor is on its word")
      equal({ 8, 4 }, child:lua([[return vim.api.nvim_buf_get_mark(0, "x")]]), "so is the mark")
      equal(3, child:lua("return vim.fn.undotree().seq_last"), "the typing and two changes, a step each")
      child:keys("u")
      child:wait("one change is undone", function()
        return child:lines()[10] == "nine"
      end)
      equal("zero", child:lines()[1])
      child:keys("u")
      child:wait("the other too, the typing stays", function()
        return child:lines()[1] == "one" and child:lines()[3] == "three unsaved"
      end)
    end,
  },
  {
    "the marks follow what is typed around them",
    function()
      local child = start({})
      waits(child, 3)
      child:keys("3Oabove<CR>above2<Esc>")
      child:keys("gg3Gonew line<Esc>")
      child:wait("the mark moved", function()
        return vim.tbl_contains(marks(child), function(m)
          return m:find("FIVE", 1, true) ~= nil and not vim.startswith(m, "5 ")
        end, { predicate = true })
      end)
      local row = tonumber(vim.tbl_filter(function(m)
        return m:find("FIVE", 1, true)
      end, marks(child))[1]:match("%d+"))
      equal("five", child:lines()[row])
    end,
  },
  {
    "a question asked anew, because its lines were typed in, shows the new ones",
    function()
      local child = start({
        files = { ["a.txt"] = "ones\ntwo\nthree\none\n" },
        script = call("c1", "edit_file", { file_path = "a.txt", old_string = "one", new_string = "ONE", replace_all = true })
          .. "----\ntext \"Done.\"\n",
      })
      waits(child, 2)
      child:ex("Drawbridge reject") -- the first, which stays as it is
      waits(child, 1)
      child:keys("4GA and more<Esc>")
      child:wait("the new lines are shown", function()
        return table.concat(marks(child), "\n"):find("ONE and more", 1, true)
      end)
      waits(child, 1) -- what was said about the first hunk still counts
      reviewing.read(child)
      child:ex("Drawbridge acceptall")
      child:ended()
      equal({ "ones", "two", "three", "ONE and more" }, child:lines())
    end,
  },
  {
    "a file that was never opened is loaded only when it is reviewed (A24)",
    function()
      local child = start({ open = false, files = { ["a.txt"] = nine, ["b.txt"] = "b\n" } })
      waits(child, 3)
      equal(0, child:lua([[return vim.fn.bufexists(vim.fn.getcwd() .. "/a.txt")]]))
      child:ex("Drawbridge next")
      child:sees("1/3 proposed")
      reviewing.read(child)
      child:ex("Drawbridge accept!")
      child:ended()
      equal("ONE", child:lines()[1])
    end,
  },
  {
    "a rejected new file leaves no buffer and no file, and can be proposed again (A21)",
    function()
      local new = call("c%d", "write_file", { file_path = "new.lua", content = "return 1\n" })
      local child = start({
        open = "a.txt",
        script = new:format(1) .. "----\n" .. new:format(2) .. "----\ntext \"Done.\"\n",
      })
      waits(child, 1)
      child:ex("Drawbridge next")
      child:wait("it is shown", function()
        return vim.deep_equal(child:lines(), { "return 1" })
      end)
      equal("acwrite", child:lua("return vim.bo.buftype"))
      child:ex("write")
      child:hears("does not exist yet")
      holds(not child:file("new.lua"), "writing the view makes no file")
      child:ex("Drawbridge reject!")
      child:wait("it is asked again", [[require("drawbridge.review").pending()[1] and require("drawbridge.review").pending()[1].approvalId == "a2"]])
      child:wait("the first view is gone", function()
        return child:lua([[return vim.api.nvim_buf_get_name(0)]]) == child.folder .. "/a.txt"
      end)
      holds(not child:file("new.lua"), "there is no file")
      equal(1, child:lua([[return #vim.tbl_filter(function(b) return vim.bo[b].buflisted end, vim.api.nvim_list_bufs())]]))
      child:ex("Drawbridge next")
      child:wait("it is shown again", function()
        return vim.deep_equal(child:lines(), { "return 1" })
      end)
      reviewing.read(child)
      child:ex("Drawbridge accept!")
      child:ended()
      equal("return 1\n", child:file("new.lua"))
      child:wait("the window went over to the file (A17)", function()
        return child:lua([[return vim.bo.buftype == "" and vim.api.nvim_buf_get_name(0)]]) == child.folder .. "/new.lua"
      end)
      child:keys("Go-- mine<Esc>")
      child:ex("write")
      child:wait("what is written reaches the disk", function()
        return child:file("new.lua") == "return 1\n-- mine\n"
      end)
    end,
  },
  {
    "a buffer wiped under review is no error; the change still waits",
    function()
      local child = start({})
      waits(child, 3)
      child:ex("Drawbridge accept")
      waits(child, 2)
      child:ex("bwipeout!")
      child:ex("Drawbridge quickfix")
      child:ex("cclose")
      child:ex("Drawbridge next")
      child:sees("2/3 proposed")
      reviewing.read(child)
      child:ex("Drawbridge accept!")
      child:ended()
      equal("ONE", child:lines()[1])
      equal("", child:said():match("E%d+:[^\n]*") or "")
    end,
  },
  {
    "applied changes: accepting keeps, rejecting takes back, by hunk",
    function()
      local child = start({ mode = "auto-edit" })
      child:ended()
      waits(child, 3)
      equal({
        "1 DrawbridgeAdd 1/3 applied ",
        "1 - - one above",
        "5 DrawbridgeAdd 2/3 applied ",
        "5 - - five above",
        "10 DrawbridgeAdd 3/3 applied ",
      }, marks(child))
      child:keys("5G")
      child:ex("Drawbridge reject")
      child:wait("it is taken back", function()
        return child:lines()[5] == "five"
      end)
      waits(child, 2)
      child:keys("gg")
      child:ex("Drawbridge accept")
      waits(child, 1)
      child:ex("Drawbridge reject!")
      child:wait("the last is taken back", function()
        return #child:lines() == 9
      end)
      waits(child, 0)
      equal("ONE two three four five six seven eight nine", table.concat(child:lines(), " "))
    end,
  },
  {
    "a hunk that was rejected stays so when the rest is allowed as a whole",
    function()
      local child = start({ wants = 'want c1 "2 of 3 hunks applied"\n' })
      waits(child, 3)
      child:ex("Drawbridge reject")
      waits(child, 2)
      vim.wait(1100) -- what came just now is not answered unread
      child:ex("Drawbridge allow")
      equal("endTurn", child:ended().stopReason)
      equal("one two three four FIVE six seven eight nine ten", table.concat(child:lines(), " "))
    end,
  },
  {
    "rejected with a word to the model",
    function()
      local child = start({ wants = 'want c1 "leave it as it is"\n' })
      waits(child, 3)
      child:ex("Drawbridge reject! leave it as it is")
      equal("endTurn", child:ended().stopReason)
      equal("one", child:lines()[1])
    end,
  },
  {
    "the word that a hunk was rejected with reaches the model when others were accepted after it, each word once",
    function()
      local child = start({ wants = 'want c1 "no shouting here; one is enough"\n' })
      waits(child, 3)
      child:ex("Drawbridge reject no shouting here")
      waits(child, 2)
      child:ex("Drawbridge next")
      line_is(child, 5)
      child:ex("Drawbridge reject one is enough")
      waits(child, 1)
      child:ex("Drawbridge next")
      line_is(child, 9)
      child:ex("Drawbridge accept")
      equal("endTurn", child:ended().stopReason)
      equal("one two three four five six seven eight nine ten", table.concat(child:lines(), " "))
    end,
  },
  {
    "the word that one hunk was rejected with reaches the model when the rest is rejected, or allowed, as a whole",
    function()
      for _, rest in ipairs({ "rejectall", "allow", "deny" }) do
        local child = start({ wants = 'want c1 "no shouting here"\n' })
        waits(child, 3)
        child:ex("Drawbridge reject no shouting here")
        waits(child, 2)
        vim.wait(1100) -- what came just now is not answered unread
        child:ex("Drawbridge " .. rest)
        equal("endTurn", child:ended().stopReason, rest)
        child:stop()
      end
    end,
  },
  {
    "a command runs on what was accepted, not on the old text of the disk (A25)",
    function()
      local child = start({
        script = overwrite(three_hunks) .. "----\n" .. call("c2", "exec_command", { cmd = "head -1 a.txt" })
          .. "----\nwant c2 \"ONE\"\ntext \"Done.\"\n",
      })
      waits(child, 3)
      reviewing.read(child)
      child:ex("Drawbridge accept!")
      child:wait("the command is asked about", [[(require("drawbridge.approvals").pending()[1] or {}).command ~= nil]])
      vim.wait(1100)
      child:ex("Drawbridge allow")
      equal("endTurn", child:ended().stopReason)
      equal(three_hunks, child:file("a.txt"))
    end,
  },
  {
    "after a restart what was kept is not asked again; the rest is still reviewed and taken back",
    function()
      local first = start({ mode = "auto-edit" })
      first:ended()
      waits(first, 3)
      first:ex("Drawbridge accept") -- keeps the first
      waits(first, 2)
      first:ex("write")
      first:wait("it is saved", function()
        return first:file("a.txt") == three_hunks
      end)
      first:stop()
      local child = child_of.start({ same = first, options = { mode = "auto-edit" } })
      child:ex("edit a.txt")
      child:ex("Drawbridge resume")
      waits(child, 2)
      child:ex("Drawbridge review")
      line_is(child, 5)
      child:ex("Drawbridge reject")
      child:wait("it is taken back", function()
        return (child:lines("/a.txt") or {})[5] == "five"
      end)
      waits(child, 1)
    end,
  },
  {
    "how to decide is said in as many words as the window has room for",
    function()
      local child = start({})
      waits(child, 3)
      child:lua([[vim.keymap.set("n", "ga", "<Plug>(drawbridge-accept-hunk)")]])
      child:keys("jk")
      child:sees("accept: ga · reject: :Drawbridge reject")
      child:ex("nunmap ga")
      child:keys("jk")
      child:sees("accept: :Drawbridge accept · reject: :Drawbridge reject")
      child:ex("set nowrap")
      child:ex("vsplit")
      for _, case in ipairs({
        { 77, "accept: :Drawbridge accept · reject: :Drawbridge reject" },
        { 76, ":Drawbridge accept, reject" },
        { 48, ":Drawbridge accept, reject" },
        { 47, ":Drawbridge reject" },
        { 39, nil },
      }) do
        child:ex("vertical resize " .. case[1])
        child:keys("jk")
        local want = case[2] and "proposed   " .. case[2] .. "%s*│" or "proposed%s*│"
        child:wait(case[1] .. " columns: " .. want, function()
          return child:screen()[1]:find(want) ~= nil
        end)
      end
    end,
  },
  {
    "a first line that something is put above is seen",
    function()
      local child = start({ text = "zero\n" .. nine })
      waits(child, 1)
      child:keys("G")
      child:ex("Drawbridge next")
      child:sees("zero")
      child:sees("accept: :Drawbridge accept")
    end,
  },
})
