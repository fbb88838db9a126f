-- The whole story by keys: a prompt, a review of which part is taken, a command
-- that is allowed and typed into, one that is denied with a reason, one in the
-- background that asks and is stopped, and at the end all of it taken back.

package.path = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h") .. "/?.lua;" .. package.path
local cases = require("cases")
local child_of = require("child")
local equal, holds = cases.equal, cases.holds

local file = "one\n\n\n\n\n\ntwo\n\n\n\n\n\nthree\n"
local edited = "ONE\n\n\n\n\n\nTWO\n\n\n\n\n\nTHREE\n"

local script = [[
text "I will look first.\n"
call c1 read_file {"file_path":"a.txt"}
----
call c2 write_file {"file_path":"a.txt","content":"ONE\n\n\n\n\n\nTWO\n\n\n\n\n\nTHREE\n"}
----
want c2 "2 of 3"
call c3 exec_command {"cmd":"printf 'name? '; read n; echo hello $n"}
----
want c3 "hello ada"
call c4 exec_command {"cmd":"rm -r /tmp/nothing-of-that-name"}
----
want c4 "use make clean"
call c5 exec_command {"cmd":"read -p 'port? ' p; echo serving on $p; exec sleep 1000","run_in_background":true}
----
text "All of it **done**.\n"
----
want-user "serving on 8080"
text "I see that you stopped it.\n"
]]

cases.run({
  {
    "prompt, review, command, denial: the model hears of each",
    function()
      local child = child_of.start({ files = { ["a.txt"] = file }, script = script })
      child:ex("edit a.txt")
      child:ex("Drawbridge")
      child:sees("Ask for a change")
      child:keys("shout, please<C-s>")
      child:sees("shout, please")
      child:sees("waiting for you")
      -- The file is where the review is; two of three hunks are taken.
      child:wait("three hunks wait", [[require("drawbridge.review").count().hunks == 3]])
      child:keys("<Esc><C-w>t")
      child:keys("1G")
      child:ex("Drawbridge accept")
      child:keys("7G")
      child:ex("Drawbridge reject")
      child:keys("13G")
      child:ex("Drawbridge accept")
      child:wait("the buffer holds two of three", function()
        return table.concat(child:lines("a.txt") or {}, "\n") .. "\n" == (edited:gsub("TWO", "two"))
      end)
      -- A command: chosen from the list, then typed into.
      child:sees("? printf 'name? '")
      child:ex("Drawbridge approvals")
      child:keys("1<CR>")
      child:sees("running")
      child:wait("a terminal", [[#require("drawbridge.terminals").list() == 1]])
      child:ex("Drawbridge terminals")
      child:sees("name?")
      child:keys("iada<CR>")
      child:sees("hello ada")
      child:keys([[<C-\><C-n>]])
      -- The save before the command: it ran on what the person accepted.
      equal((edited:gsub("TWO", "two")), child:file("a.txt"), "the file on disk")
      child:sees("rm -r")
      child:ex("Drawbridge deny a3 use make clean")
      -- A command in the background: allowed, answered, stopped; that it ended is
      -- told to the model with the person's next word.
      child:sees("? read -p 'port? '")
      child:ex("Drawbridge allow a4")
      child:sees("All of it **done**.")
      child:hears("waits for typing: port?")
      child:ex("Drawbridge type 8080")
      child:ex("Drawbridge terminals")
      child:sees("serving on 8080")
      child:ex("Drawbridge kill")
      child:sees("[ended by SIGTERM]")
      child:ex("Drawbridge prompt go on")
      child:sees("I see that you stopped it.")
      child:wait("the turn ends", [[require("drawbridge.state").current().turnId == nil]])
      local c = child:lua([[
        local c = require("drawbridge.state").current()
        local calls = {}
        for _, item in ipairs(c.items) do
          if item.kind == "call" then table.insert(calls, item.status) end
        end
        return { calls = calls, ending = c.items[#c.items].stopReason, turn = c.turnId }
      ]])
      equal({ "completed", "completed", "completed", "aborted", "completed" }, c.calls, "how the calls ended")
      equal("endTurn", c.ending, "how the turn ended")
      holds(c.turn == nil, "no turn runs")
      -- All of it is taken back, but for a line of the person's own.
      child:ex("topleft split a.txt")
      child:keys("7Gccmine<Esc>")
      child:wait("typed", [[vim.api.nvim_get_current_line() == "mine"]])
      child:ex("Drawbridge changes")
      child:sees("M a.txt")
      child:ex("Drawbridge rewind")
      child:sees("merge     a.txt")
      child:ex("Drawbridge accept")
      child:hears("1 file taken back; :Drawbridge rewind undo brings that back")
      child:wait("only the own line is left", function()
        return table.concat(child:lines("/a.txt") or {}, "\n") .. "\n" == (file:gsub("two", "mine"))
      end)
    end,
  },
  {
    "a turn is stopped, then continued; the prompt is edited and sent again",
    function()
      local child = child_of.start({
        files = { ["a.txt"] = "one\n" },
        script = [[
text "Thinking of it.\n"
stall
----
text "Taken up again.\n"
----
want-user "second"
text "Another answer.\n"
]],
      })
      child:ex("Drawbridge prompt first try")
      child:sees("Thinking of it.")
      child:ex("Drawbridge stop")
      child:sees("Stopped")
      child:sees(":Drawbridge continue")
      child:ex("Drawbridge continue")
      child:sees("Continued")
      child:sees("Taken up again.")
      child:wait("the turn is over", [[not require("drawbridge.state").current().turnId]])
      child:ex("Drawbridge resend")
      child:sees("takes the last prompt's place")
      equal({ "first try" }, child:lines("drawbridge://prompt"), "the prompt to edit")
      child:keys("<Esc>ccsecond try<C-s>")
      child:sees("Another answer.")
      local shown = table.concat(child:lines("drawbridge://conversation"), "\n")
      holds(shown:find("second try", 1, true), "the new prompt is shown")
      child:wait("the replaced turn is folded away", function()
        return child:lua([[
          local b = require("drawbridge.conversation").buffer()
          local win = vim.fn.win_findbuf(b)[1]
          return vim.api.nvim_win_call(win, function()
            local line = vim.fn.search("Thinking of it", "wn")
            return line == 0 or vim.fn.foldclosed(line) ~= -1
          end)
        ]])
      end)
    end,
  },
  {
    "a word to the running turn reaches the model; Enter in the prompt answers no question",
    function()
      local child = child_of.start({
        files = { ["a.txt"] = "one\n" },
        script = [[
call c1 exec_command {"cmd":"echo ran"}
----
want-user "leave the tests alone"
text "I left them alone.\n"
]],
      })
      child:ex("Drawbridge")
      child:keys("do it<C-s>")
      child:sees("? echo ran")
      child:keys("<Esc>ileave the tests alone<C-s>")
      child:sees("not read yet")
      equal(1, child:lua([[return #require("drawbridge.state").current().approvals]]), "the question still waits")
      child:keys("<Esc><CR>i<CR><Esc>")
      equal(1, child:lua([[return #require("drawbridge.state").current().approvals]]), "Enter decided nothing")
      child:ex("Drawbridge allow a1")
      child:sees("I left them alone.")
    end,
  },
})
