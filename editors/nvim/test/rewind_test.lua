-- Rewinding: a look first, then files as they were, with what the person changed since.

package.path = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h") .. "/?.lua;" .. package.path
local cases = require("cases")
local child_of = require("child")
local reviewing = require("reviewing")
local equal, holds = cases.equal, cases.holds
local nine, three_hunks, call = reviewing.nine, reviewing.three_hunks, reviewing.call

local script = call("c1", "write_file", { file_path = "a.txt", content = three_hunks })
  .. call("c2", "write_file", { file_path = "new.txt", content = "fresh\n" })
  .. '----\ntext "First done.\\n"\n----\n'
  .. call("c3", "write_file", { file_path = "b.txt", content = "B\n" })
  .. '----\ntext "Second done.\\n"\n----\nstall\n'

---@return test.Child
local function two_turns()
  local child = child_of.start({
    files = { ["a.txt"] = nine, ["b.txt"] = "b\n" },
    options = { mode = "allow-all" },
    script = script,
  })
  child:ex("edit a.txt")
  for i, text in ipairs({ "shout, please", "more" }) do
    child:ex("Drawbridge prompt " .. text)
    child:sees(i == 1 and "First done." or "Second done.")
    child:wait("the turn is over", [[not require("drawbridge.state").current().turnId]])
  end
  return child
end

---@param child test.Child
---@param text string
local function shows(child, text)
  child:wait("the page shows " .. text, function()
    return table.concat(child:lines("drawbridge://rewind") or {}, "\n"):find(text, 1, true) ~= nil
  end)
end

---@param child test.Child
---@return string
local function a_txt(child)
  return table.concat(child:lines("/a.txt") or {}, "\n") .. "\n"
end

cases.run({
  {
    "a turn and all after it are rewound: seen first, done on a yes, undone again",
    function()
      local child = two_turns()
      child:ex("Drawbridge rewind t1")
      shows(child, "Back to before t1: shout, please")
      shows(child, "restore   a.txt  +2 −3")
      shows(child, "restore   b.txt  +1 −1")
      shows(child, "remove    new.txt")
      child:sees("do it: :Drawbridge accept")
      child:sees("lines of diff; zo opens")
      equal("B\n", child:file("b.txt"), "a look does nothing")
      child:ex("Drawbridge accept")
      child:hears("3 files taken back; :Drawbridge rewind undo brings that back")
      child:wait("the page is gone", [[#vim.api.nvim_list_tabpages() == 1]])
      child:wait("the buffer is as it was", function()
        return a_txt(child) == nine
      end)
      equal("b\n", child:file("b.txt"))
      holds(not child:file("new.txt"), "the new file is gone")
      child:ex("Drawbridge rewind undo")
      shows(child, "restore   new.txt")
      shows(child, "Undo of the rewind to before: shout, please")
      child:ex("Drawbridge accept")
      child:hears("the rewind is undone: 3 files as before it; :Drawbridge rewind undo rewinds again")
      child:wait("all is back", function()
        return a_txt(child) == three_hunks and child:file("new.txt") == "fresh\n" and child:file("b.txt") == "B\n"
      end)
      child:wait("the page is gone", [[#vim.api.nvim_list_tabpages() == 1]])
      child:ex("Drawbridge rewind undo")
      shows(child, "Undo of the undo of the rewind to before: shout, please")
      child:ex("Drawbridge accept")
      child:hears("rewound again: 3 files taken back; :Drawbridge rewind undo brings that back")
      child:wait("the buffer is as it was again", function()
        return a_txt(child) == nine
      end)
    end,
  },
  {
    "what the person changed since is kept; where it meets the agent's lines the file is left",
    function()
      local child = two_turns()
      child:keys("<C-w>t7Gccmine<Esc>")
      child:wait("typed", [[vim.api.nvim_get_current_line() == "mine"]])
      local f = assert(io.open(child.folder .. "/b.txt", "w"))
      f:write("my own B\n")
      f:close()
      child:ex("Drawbridge rewind all")
      shows(child, "merge     a.txt")
      shows(child, "what was changed since stays")
      shows(child, "leave     b.txt")
      child:ex("Drawbridge accept")
      shows(child, "merged    a.txt")
      shows(child, "left      b.txt")
      child:hears("1 file left alone")
      equal((nine:gsub("seven", "mine")), a_txt(child), "the agent's lines went, the person's stay")
      equal("my own B\n", child:file("b.txt"))
    end,
  },
  {
    "one turn alone is taken back, from where the cursor is in the conversation",
    function()
      local child = two_turns()
      child:ex("Drawbridge")
      child:keys("<Esc><C-w>k")
      child:keys("gg/First done<CR>")
      child:wait("the cursor is in the first turn", [[(require("drawbridge.conversation").item_at_cursor() or {}).turnId == "t1"]])
      child:ex("Drawbridge! rewind")
      shows(child, "Without what came by t1")
      child:ex("Drawbridge accept")
      child:wait("the first turn is taken back", function()
        return a_txt(child) == nine and not child:file("new.txt")
      end)
      equal("B\n", child:file("b.txt"), "the second turn's stays")
    end,
  },
  {
    "closing the page does nothing; a file that changes meanwhile is shown anew and nothing is done to it unseen",
    function()
      local child = two_turns()
      child:ex("Drawbridge rewind t2")
      shows(child, "restore   b.txt")
      child:ex("quit")
      child:hears("nothing was taken back")
      equal("B\n", child:file("b.txt"))
      child:ex("Drawbridge rewind t2")
      shows(child, "restore   b.txt")
      local f = assert(io.open(child.folder .. "/b.txt", "w"))
      f:write("another text\n")
      f:close()
      child:ex("Drawbridge accept")
      child:hears("a file has changed meanwhile")
      shows(child, "leave     b.txt")
      equal("another text\n", child:file("b.txt"))
      child:ex("Drawbridge accept")
      child:hears("there is nothing to take back")
      child:ex("Drawbridge reject")
      child:wait("the page is gone", [[#vim.api.nvim_list_tabpages() == 1]])
    end,
  },
  {
    "while a turn runs nothing is rewound, and that is said",
    function()
      local child = two_turns()
      child:ex("Drawbridge rewind t2")
      shows(child, "restore   b.txt")
      child:ex("Drawbridge prompt and on")
      child:wait("a turn runs", [[require("drawbridge.state").current().turnId]])
      child:ex("Drawbridge accept")
      child:hears("a turn runs; :Drawbridge stop ends it")
      equal("B\n", child:file("b.txt"))
      child:ex("Drawbridge stop")
      child:wait("it was stopped", [[not require("drawbridge.state").current().turnId]])
      child:ex("Drawbridge accept")
      child:wait("it is rewound then", function()
        return child:file("b.txt") == "b\n"
      end)
    end,
  },
  {
    "what may be somebody else's is left alone, with the reason, unless it is asked for and seen",
    function()
      local child = child_of.start({
        files = { ["a.txt"] = nine },
        options = { mode = "allow-all" },
        script = call("c1", "write_file", { file_path = "a.txt", content = three_hunks })
          .. "----\n"
          .. call("c2", "exec_command", { cmd = "until [ -e made.txt ]; do sleep 0.05; done" })
          .. '----\ntext "Done.\\n"\n',
      })
      child:ex("edit a.txt")
      child:ex("Drawbridge prompt go")
      child:wait("the command runs", function()
        return child:lua([[return vim.tbl_count((require("drawbridge.state").current() or { terminals = {} }).terminals)]]) == 1
      end)
      local f = assert(io.open(child.folder .. "/mine.txt", "w"))
      f:write("mine\n")
      f:close()
      f = assert(io.open(child.folder .. "/made.txt", "w"))
      f:close()
      child:sees("Done.")
      child:wait("the turn is over", [[not require("drawbridge.state").current().turnId]])
      child:ex("Drawbridge rewind t1")
      shows(child, "restore   a.txt")
      shows(child, "leave     mine.txt")
      shows(child, "maybe by somebody else")
      child:sees("those in doubt too: :Drawbridge accept!")
      child:ex("Drawbridge accept!")
      shows(child, "with what may be somebody else's")
      shows(child, "remove    mine.txt")
      equal("mine\n", child:file("mine.txt"), "it is shown first")
      child:ex("quit")
      child:hears("nothing was taken back")
      child:ex("Drawbridge rewind t1")
      shows(child, "leave     mine.txt")
      child:ex("Drawbridge accept")
      child:hears("2 files taken back, 1 file left alone")
      shows(child, "left      mine.txt")
      equal("mine\n", child:file("mine.txt"))
      child:ex("quit")
      child:wait("the page is gone", [[#vim.api.nvim_list_tabpages() == 1]])
      child:ex("Drawbridge rewind t1")
      shows(child, "leave     mine.txt")
      child:ex("Drawbridge accept")
      child:hears("all of it may be somebody else's")
      child:ex("Drawbridge accept!")
      shows(child, "remove    mine.txt")
      child:ex("Drawbridge accept")
      child:wait("they are taken back then", function()
        return not child:file("mine.txt")
      end)
    end,
  },
  {
    "of a change that was taken in part, and rewound, the page of changes counts what had stood",
    function()
      local child = reviewing.start({})
      reviewing.waits(child, 3)
      child:ex("Drawbridge reject")
      reviewing.waits(child, 2)
      reviewing.read(child)
      child:ex("Drawbridge accept!")
      child:ended()
      child:ex("Drawbridge changes")
      child:wait("it is listed", function()
        return (child:lines("drawbridge://changes") or {})[2] == "  M a.txt  +2 −1  partly applied  (g1)"
      end)
      child:ex("Drawbridge rewind all")
      shows(child, "restore   a.txt")
      child:ex("Drawbridge accept")
      child:wait("the page counts what stood", function()
        return (child:lines("drawbridge://changes") or {})[2] == "  M a.txt  +2 −1  reverted  (g1)"
      end)
    end,
  },
  {
    "without changes, and without a conversation, that is said",
    function()
      local child = child_of.start({ script = 'text "Hello."\n' })
      child:ex("Drawbridge rewind")
      child:hears("there is no conversation whose changes could be taken back")
      child:ex("Drawbridge prompt hi")
      child:sees("Hello.")
      child:ex("Drawbridge rewind undo")
      child:hears("the agent has written nothing in this conversation that could be taken back")
    end,
  },
  {
    "a file that was deleted while it was open is brought back to the disk; one that was made goes with its buffer",
    function()
      local child = child_of.start({
        files = { ["old.txt"] = "old\n" },
        options = { mode = "allow-all" },
        script = call("c1", "read_file", { file_path = "old.txt" })
          .. call("c2", "write_file", { file_path = "new.txt", content = "fresh\n" })
          .. "----\n"
          .. call("c3", "exec_command", { cmd = "rm old.txt" })
          .. '----\ntext "Done.\\n"\n',
      })
      child:ex("edit old.txt")
      child:ex("Drawbridge prompt go")
      child:sees("Done.")
      child:wait("the turn is over", [[not require("drawbridge.state").current().turnId]])
      child:ex("edit new.txt")
      child:wait("it is open", function()
        return child:lines("/new.txt")
      end)
      child:ex("Drawbridge rewind t1")
      shows(child, "new.txt")
      child:ex("Drawbridge accept")
      child:hears("taken back")
      child:wait("the file is back", function()
        return child:file("old.txt") == "old\n"
      end)
      holds(not child:file("new.txt"), "the new one is gone")
      child:wait("and its buffer", function()
        return not child:lines("/new.txt")
      end)
    end,
  },
})
