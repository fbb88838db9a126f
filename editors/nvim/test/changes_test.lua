-- The changes of a conversation as sets: turn by turn, kept or taken back as a whole,
-- those that commands made, and what the model hears of it.

package.path = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h") .. "/?.lua;" .. package.path
local cases = require("cases")
local child_of = require("child")
local reviewing = require("reviewing")
local equal, holds = cases.equal, cases.holds
local nine, three_hunks = reviewing.nine, reviewing.three_hunks
local call, waits, line_is, marks = reviewing.call, reviewing.waits, reviewing.line_is, reviewing.marks

-- Two turns: one that changes two files, one that makes a third.
local two_turns = call("c1", "write_file", { file_path = "a.txt", content = three_hunks })
  .. "----\n"
  .. call("c2", "write_file", { file_path = "b.txt", content = "B\n" })
  .. '----\ntext "First done.\\n"\n----\n'
  .. call("c3", "write_file", { file_path = "new.txt", content = "fresh\n" })
  .. '----\ntext "Second done.\\n"\n'

--- Both turns have ended, and nothing is decided.
---@param script? string
---@return test.Child
local function two(script)
  local child = child_of.start({
    files = { ["a.txt"] = nine, ["b.txt"] = "b\n" },
    options = { mode = "auto-edit" },
    script = script or two_turns,
  })
  child:ex("edit a.txt")
  child:ex("Drawbridge prompt shout, please")
  child:sees("First done.")
  child:wait("the first turn is over", [[not require("drawbridge.state").current().turnId]])
  child:ex("Drawbridge prompt more")
  child:sees("Second done.")
  child:wait("the second is over", [[not require("drawbridge.state").current().turnId]])
  waits(child, 5)
  reviewing.read(child)
  return child
end

---@param lines string[]
---@return string[]
local function sorted(lines)
  table.sort(lines)
  return lines
end

---@param child test.Child
---@return string
local function page(child)
  return table.concat(child:lines("drawbridge://changes") or {}, "\n")
end

---@param child test.Child
---@param text string
local function lists(child, text)
  child:wait("the page lists " .. text, function()
    return page(child):find(text, 1, true) ~= nil
  end)
end

cases.run({
  {
    "the page lists the changes by turn, follows what is decided, and is where to decide",
    function()
      local child = two()
      child:ex("Drawbridge changes")
      equal({
        "Turn t2: more  (1 undecided)",
        "  A new.txt  +1 −0  applied  (g3), 1 undecided",
        "Turn t1: shout, please  (4 undecided)",
        "  M b.txt  +1 −1  applied  (g2), 1 undecided",
        "  M a.txt  +3 −2  applied  (g1), 3 undecided",
      }, child:lines("drawbridge://changes"))
      child:keys("4G")
      child:ex("Drawbridge accept")
      lists(child, "  M b.txt  +1 −1  applied  (g2)\n")
      lists(child, "Turn t1: shout, please  (3 undecided)")
      child:keys("3G") -- the line of a turn: all of it
      child:ex("Drawbridge reject")
      lists(child, "a.txt  +3 −2  reverted")
      lists(child, "Turn t1: shout, please\n")
      child:keys("4G<CR>")
      child:wait("what was kept is shown as kept", "vim.wo.diff")
      child:sees("✓ kept")
      child:ex("tabclose")
      equal(nine, table.concat(child:lines("/a.txt"), "\n") .. "\n")
      equal("B\n", child:file("b.txt"), "what was kept stays")
      child:keys("2G<CR>")
      child:wait("the diff of that file is shown", "vim.wo.diff")
      child:sees("fresh")
    end,
  },
  {
    "all of a turn, then all there is, is rejected at once; what was kept stays",
    function()
      local child = two()
      child:keys("<C-w>t1G")
      child:ex("Drawbridge accept")
      waits(child, 4)
      child:ex("Drawbridge rejectturn") -- that of the hunk at hand, or of the newest
      child:ex("Drawbridge rejectall no more of it")
      waits(child, 0)
      child:wait("all but what was kept is as before", function()
        return table.concat(child:lines("/a.txt"), "\n") .. "\n" == (nine:gsub("one", "ONE"))
      end)
      equal("b\n", child:file("b.txt"))
      holds(not child:file("new.txt"), "the new file is gone")
    end,
  },
  {
    "everything is accepted at once, and stays so over a restart; the model is told once what was taken back",
    function()
      local child = two(two_turns .. '----\nwant-user "lower case, please"\ntext "I see."\n')
      child:keys("<C-w>t1G")
      child:ex("Drawbridge reject lower case, please")
      waits(child, 4)
      child:ex("Drawbridge acceptall")
      waits(child, 0)
      child:ex("Drawbridge prompt go on")
      child:sees("The model was told: The user took back a")
      child:sees("I see.")
      child:wait("the turn is over", [[not require("drawbridge.state").current().turnId]])
      child:ex("wall")
      child:wait("saved", "not vim.bo.modified")
      child:stop()
      local again = child_of.start({ same = child, options = { mode = "auto-edit" } })
      again:ex("Drawbridge resume")
      again:sees("I see.")
      again:sees("The model was told: The user took back a")
      equal(0, again:lua([[return require("drawbridge.review").count().hunks]]), "hunks that wait")
      -- What was kept can be looked at again, and taken back after all.
      again:ex("edit a.txt")
      again:ex("Drawbridge review g1")
      waits(again, 2)
      line_is(again, 5)
      equal({ "5 DrawbridgeAdd 2/3 applied ", "5 - - five above", "10 DrawbridgeAdd 3/3 applied " }, marks(again))
      again:ex("Drawbridge accept")
      waits(again, 1)
      again:ex("Drawbridge reject!")
      waits(again, 0)
      again:wait("the hunk is taken back", function()
        return table.concat(again:lines("/a.txt"), "\n") .. "\n" == (nine:gsub("five", "FIVE"))
      end)
    end,
  },
  {
    "a hunk whose lines the person changed is named, and stays; the others are taken back",
    function()
      local child = reviewing.start({ mode = "auto-edit" })
      child:ended()
      waits(child, 3)
      child:keys("5GAmine<Esc>")
      child:wait("typed", [[vim.api.nvim_get_current_line() == "FIVEmine"]])
      child:ex("Drawbridge reject!")
      child:hears("hunk 2 of 3 in a.txt stays: the lines have changed since")
      child:wait("the others are taken back", function()
        return table.concat(child:lines(), " ") == "one two three four FIVEmine six seven eight nine"
      end)
      waits(child, 1)
    end,
  },
  {
    "a hunk that is undone in its buffer says so where it was, comes back with a redo, and is settled by rejecting it",
    function()
      local child = reviewing.start({ mode = "auto-edit" })
      child:ended()
      waits(child, 3)
      child:ex("Drawbridge quickfix")
      child:ex("cclose")
      child:keys("<C-w>tgg")
      local applied = marks(child)
      local function undone(n)
        child:wait(n .. " hunks are gone", function()
          return #vim.tbl_filter(function(m)
            return m:find("not here any more", 1, true)
          end, marks(child)) == n
        end)
      end
      for _ = 1, 2 do
        child:keys("u")
        undone(3)
        equal({ "1 - 1/3 not here any more ", "5 - 2/3 not here any more ", "9 - 3/3 not here any more " }, marks(child))
        equal(nine, table.concat(child:lines(), "\n") .. "\n")
        holds(
          child:lua([[return vim.iter(vim.fn.getqflist()):all(function(e) return e.text:find("not here any more") end)]]),
          "the list says so"
        )
        child:keys("<C-r>")
        undone(0)
        equal(sorted(applied), sorted(marks(child)))
      end
      child:keys("u")
      undone(3)
      child:keys("5G")
      child:sees("done with it: :Drawbridge reject")
      child:ex("Drawbridge reject")
      waits(child, 2)
      child:ex("Drawbridge next")
      line_is(child, 9)
      child:ex("Drawbridge reject!")
      waits(child, 0)
      equal({}, marks(child))
      equal(nine, table.concat(child:lines(), "\n") .. "\n")
      equal({}, child:lua("return vim.fn.getqflist()"))
      equal("", child:said():match("stays[^\n]*") or "")
    end,
  },
  {
    "lines of a hunk that were deleted by hand are not looked for elsewhere; a whole file read anew is",
    function()
      local child = reviewing.start({
        mode = "auto-edit",
        files = { ["a.txt"] = "a\nend\nb\nend\n" },
        text = "a\nend\nx\nend\nb\nend\n",
      })
      child:ended()
      waits(child, 1)
      local before = marks(child)
      child:keys("/x<CR>2dd")
      child:wait("it says so", function()
        return vim.deep_equal(marks(child), { "3 - 1/1 not here any more " })
      end)
      child:keys("u")
      child:wait("it is back", function()
        return vim.deep_equal(marks(child), before)
      end)
      child:ex("write")
      child:wait("it is written", "not vim.bo.modified")
      local f = assert(io.open(child.folder .. "/a.txt", "w"))
      f:write("x\nend\n")
      f:close()
      child:ex("edit!")
      child:wait("it is found again", function()
        return marks(child)[1] == (before[1]:gsub("^%d+", "1"))
      end)
    end,
  },
  {
    "a take-back reaches the disk where the file was opened for the review alone and nobody typed in it",
    function()
      local old, new = {}, {}
      for i = 1, 20 do
        old[i] = "line " .. i
        new[i] = i % 5 == 1 and "LINE " .. i or old[i]
      end
      local function text(lines)
        return table.concat(lines, "\n") .. "\n"
      end
      local child = reviewing.start({ mode = "auto-edit", open = false, files = { ["a.txt"] = text(old) }, text = text(new) })
      child:ended()
      waits(child, 4)
      equal(text(new), child:file("a.txt"))
      child:ex("Drawbridge next")
      child:wait("it is opened", [[vim.fs.basename(vim.api.nvim_buf_get_name(0)) == "a.txt"]])
      --- Takes the hunk of a line back, by Lua of its own.
      local function reject(n, code)
        child:keys(n .. "G")
        line_is(child, n)
        child:lua([[local reject = require("drawbridge.review").reject_hunk; ]] .. code)
        child:wait("it is taken back", function()
          return child:lines()[n] == old[n]
        end)
        child:wait("and the bridge said so", ([[vim.iter(require("drawbridge.review.changes").all()):all(function(review)
          return vim.iter(review.hunks):all(function(hunk) return hunk.newText ~= "LINE %d\n" end)
        end)]]):format(n))
      end
      reject(1, "reject()")
      child:wait("the disk has it", function()
        return vim.startswith(child:file("a.txt"), "line 1\n") and not child:lua("return vim.bo.modified")
      end)
      -- A person's own text is not saved for them, whenever they type it.
      for i, typed in ipairs({
        "vim.api.nvim_buf_set_lines(0, 1, 2, true, { 'before' }); reject()",
        "reject(); vim.api.nvim_buf_set_lines(0, 2, 3, true, { 'before it is done' })",
        [[vim.api.nvim_buf_attach(0, false, {
            on_lines = function()
              vim.schedule(function() vim.api.nvim_buf_set_lines(0, 3, 4, true, { "before the answer" }) end)
              return true
            end,
          })
          reject()]],
      }) do
        local disk = child:file("a.txt")
        reject(1 + 5 * i, typed)
        holds(child:lines()[i + 1]:find("before"), "it was typed")
        holds(child:lua("return vim.bo.modified"), "it is not saved: " .. typed)
        equal(disk, child:file("a.txt"))
        child:ex("write")
        child:wait("it is written by hand", "not vim.bo.modified")
      end
    end,
  },
  {
    "a take-back in a file that a person opened is unsaved text, as whatever changes there",
    function()
      local child = reviewing.start({ mode = "auto-edit" })
      child:ended()
      waits(child, 3)
      child:ex("write")
      child:wait("it is written", "not vim.bo.modified")
      child:ex("Drawbridge reject!")
      waits(child, 0)
      child:wait("it is taken back", function()
        return child:lines()[1] == "one"
      end)
      holds(child:lua("return vim.bo.modified"), "it is not saved")
      equal(three_hunks, child:file("a.txt"))
    end,
  },
  {
    "what a command changed is shown with the command, refreshed, and taken back",
    function()
      local child = child_of.start({
        files = { ["a.txt"] = nine, ["old.txt"] = "old\n" },
        options = { mode = "allow-all" },
        script = call("c1", "read_file", { file_path = "a.txt" })
          .. call("c2", "read_file", { file_path = "old.txt" })
          .. "----\n"
          .. call("c3", "exec_command", { cmd = "sed -i s/five/FIVE/ a.txt; rm old.txt; echo made > made.txt" })
          .. '----\ntext "Done.\\n"\n',
      })
      child:ex("edit a.txt")
      child:ex("Drawbridge prompt go")
      child:sees("Done.")
      child:wait("the buffer has what the command wrote", function()
        return child:lines("/a.txt")[5] == "FIVE"
      end)
      child:wait("the turn is over", [[not require("drawbridge.state").current().turnId]])
      child:ex("Drawbridge changes")
      lists(child, "M a.txt  +1 −1  by a command")
      lists(child, "D old.txt  +0 −1  by a command")
      lists(child, "A made.txt")
      child:lua([[
        local c = require("drawbridge.state").current()
        local item = c.calls.c3
        shown = table.concat(require("drawbridge.items").draw(item, c).lines, "\n")
      ]])
      local shown = child:lua("return shown")
      holds(shown:find("changed M a.txt", 1, true) and shown:find("sed -i", 1, true), shown)
      child:keys("<C-w>t")
      child:keys("gg")
      child:ex("Drawbridge rejectall")
      child:wait("all of it is taken back", function()
        return child:lines("/a.txt")[5] == "five" and child:file("old.txt") == "old\n" and not child:file("made.txt")
      end)
    end,
  },
  {
    "a new file that is taken back leaves no buffer; a deleted one is seen, and brought back to its window",
    function()
      local child = child_of.start({
        files = { ["a.txt"] = nine, ["old.txt"] = "old\n" },
        options = { mode = "allow-all" },
        script = call("c1", "write_file", { file_path = "new.txt", content = "fresh\n" })
          .. call("c2", "read_file", { file_path = "old.txt" })
          .. "----\n"
          .. call("c3", "exec_command", { cmd = "rm old.txt" })
          .. '----\ntext "Done.\\n"\n----\n'
          .. call("c4", "exec_command", { cmd = "rm old.txt" })
          .. '----\ntext "Again.\\n"\n',
      })
      child:ex("edit a.txt")
      child:prompt("go")
      child:ended()
      waits(child, 2)
      reviewing.read(child)
      child:ex("Drawbridge review g1")
      child:wait("the new file is shown", [[vim.fs.basename(vim.api.nvim_buf_get_name(0)) == "new.txt"]])
      child:ex("Drawbridge reject")
      waits(child, 1)
      child:wait("its buffer is gone", function()
        return not child:lines("/new.txt")
      end)
      holds(not child:file("new.txt"), "and the file")
      child:ex("Drawbridge next")
      child:wait("what was deleted is shown", [[vim.api.nvim_buf_get_name(0) == "drawbridge://deleted/old.txt"]])
      child:sees("old")
      child:ex("Drawbridge reject")
      child:wait("the file is back, in the window", [[vim.fs.basename(vim.api.nvim_buf_get_name(0)) == "old.txt" and vim.bo.buftype == ""]])
      equal("old\n", child:file("old.txt"))
      -- Deleted while it is open: what is brought back stands in the file, not in the buffer alone.
      child:lua("ended = nil")
      child:prompt("again")
      child:ended()
      waits(child, 1)
      holds(not child:file("old.txt"), "it was deleted")
      child:ex("Drawbridge rejectall")
      waits(child, 0)
      child:wait("the file is back", function()
        return child:file("old.txt") == "old\n"
      end)
      equal({ "old" }, child:lines("/old.txt"))
      child:ex("write")
      child:wait("and can be written without a question", [[not vim.bo.modified]])
    end,
  },
})
