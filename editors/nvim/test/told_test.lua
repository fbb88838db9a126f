-- What is told of a person's own doings: an edited command, an edited proposal, a
-- denial and its reason, a prompt that took another's place, time spent waiting.

package.path = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h") .. "/?.lua;" .. package.path
local cases = require("cases")
local child_of = require("child")
local reviewing = require("reviewing")
local equal, holds = cases.equal, cases.holds

---@param child test.Child
---@return string
local function screen(child)
  return table.concat(child:screen(), "\n")
end

cases.run({
  {
    "a command that was edited is told by what really runs",
    function()
      local child = child_of.start({
        script = 'call c1 exec_command {"cmd":"touch asked-for"}\n----\ntext "Done."\n',
        before = [[vim.ui.input = function(opts, cb) cb("touch instead") end]],
      })
      child:ex("Drawbridge prompt go")
      child:sees("? touch asked-for")
      child:ex("Drawbridge approvals")
      child:keys("<CR>") -- away from the list; what is chosen comes next
      child:lua([[vim.ui.select = function(items, opts, cb)
        for _, item in ipairs(items) do
          if opts.format_item(item):find("Edit the command", 1, true) then cb(item) end
        end
      end]])
      child:ex("Drawbridge approvals")
      child:sees("Done.")
      child:sees("✓ touch instead  done") -- in no time, or in 0.1s
      child:sees(", changed by you")
      local shown = table.concat(child:lines("drawbridge://conversation"), "\n")
      holds(shown:find("you changed the command; the model had asked for:\n```sh\ntouch asked-for", 1, true), shown)
      equal("touch instead", child:lua([[return require("drawbridge.terminals").list()[1].title]]))
      -- History tells the same.
      child:ex("Drawbridge restart")
      child:wait("the session is read anew", [[require("drawbridge.client").is_ready()]])
      child:sees("✓ touch instead  done") -- in no time, or in 0.1s
      child:sees(", changed by you")
    end,
  },
  {
    "a proposal that was edited is applied, edited by you",
    function()
      local child = reviewing.start({})
      reviewing.waits(child, 3)
      child:ex("Drawbridge edit")
      child:wait("the draft is shown", [[vim.api.nvim_buf_get_name(0):find("drawbridge://edit/", 1, true) ~= nil]])
      child:keys("ggcwUNO<Esc>")
      child:ex("Drawbridge accept")
      child:ended()
      child:ex("Drawbridge")
      child:sees("applied, edited by you")
      holds(not screen(child):find("partly", 1, true), screen(child))
    end,
  },
  {
    "a denied command says why",
    function()
      local child = child_of.start({ script = 'call c1 exec_command {"cmd":"rm -r x"}\n----\ntext "Done."\n' })
      child:ex("Drawbridge prompt go")
      child:sees("? rm -r x")
      child:ex("Drawbridge deny a1 use make clean")
      child:sees("Done.")
      child:sees("✗ rm -r x  denied: use make clean")
    end,
  },
  {
    "the time that a person took is not the command's",
    function()
      local child = child_of.start({ script = 'call c1 exec_command {"cmd":"true"}\n----\ntext "Done."\n' })
      child:ex("Drawbridge prompt go")
      child:sees("? true")
      vim.wait(1500)
      child:ex("Drawbridge allow a1")
      child:sees("Done.")
      local ms = child:lua([[return require("drawbridge.state").current().calls.c1.durationMs]])
      local asked = child:lua([[
        local total = 0
        require("drawbridge.reduce").apply(require("drawbridge.state").current(), "toolCall/completed",
          { callId = "c1", status = "completed", text = "", durationMs = 9000, waitedMs = 8000 }, function() end)
        return require("drawbridge.state").current().calls.c1.durationMs
      ]])
      equal(1000, asked)
      holds(ms < 9000, "it ran for " .. ms)
    end,
  },
  {
    "a replaced turn is one line that says so",
    function()
      local child = child_of.start({
        files = { ["a.txt"] = "one\n" },
        script = 'text "The old answer.\\n"\ncall c1 read_file {"file_path":"a.txt"}\n----\ntext "As I said."\n----\ntext "Another answer.\\n"\n',
      })
      child:ex("Drawbridge prompt first try")
      child:sees("As I said.")
      child:wait("the turn is over", [[not require("drawbridge.state").current().turnId]])
      child:ex("Drawbridge resend")
      child:keys("<Esc>ccsecond try<C-s>")
      child:sees("Another answer.")
      child:sees("replaced by the prompt below (4 items)")
      child:sees_no("The old answer.")
      -- It opens, and the calls in it fold as ever.
      child:keys("<Esc><C-w>kggzo")
      child:sees("The old answer.")
      child:sees("Read a.txt  done")
    end,
  },
  {
    "just after an allow a terminal is said to start",
    function()
      local child = child_of.start({ script = 'call c1 exec_command {"cmd":"true"}\n----\ntext "Done."\n' })
      child:ex("Drawbridge prompt go")
      child:sees("? true")
      child:ex("Drawbridge terminals")
      child:hears("no command has run")
      -- The moment between the answer and the start, which is too short to meet.
      child:lua([[require("drawbridge.state").current().approvals = {}]])
      child:ex("Drawbridge terminals")
      child:hears("the command is starting")
    end,
  },
  {
    "only the command in a question is coloured as one",
    function()
      local child = child_of.start({ script = 'call c1 exec_command {"cmd":"echo \\"a\\" && for"}\n----\ntext "Done."\n' })
      child:ex("Drawbridge prompt go")
      child:sees("? echo")
      child:lua([[vim.ui.select = function() end]])
      child:ex("Drawbridge approvals")
      child:sees(" Command ")
      local groups = child:lua([[
        for _, win in ipairs(vim.api.nvim_list_wins()) do
          if vim.api.nvim_win_get_config(win).relative ~= "" then
            return vim.api.nvim_win_call(win, function()
              local all = {}
              for lnum = 1, vim.fn.line("$") do
                local coloured = false
                for col = 1, #vim.fn.getline(lnum) do
                  local name = vim.fn.synIDattr(vim.fn.synID(lnum, col, 1), "name")
                  coloured = coloured or vim.startswith(name, "sh")
                end
                all[lnum] = coloured
              end
              return all
            end)
          end
        end
      ]])
      equal(true, groups[1], "the command")
      for i = 2, #groups do
        equal(false, groups[i], "line " .. i)
      end
    end,
  },
})
