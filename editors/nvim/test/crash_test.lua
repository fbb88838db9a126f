-- Ends: of the bridge, of the editor, wanted and not; what is left and what is
-- taken up again.

package.path = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h") .. "/?.lua;" .. package.path
local cases = require("cases")
local child_of = require("child")
local processes = require("processes")
local equal, holds = cases.equal, cases.holds
local bridge_of, gone = processes.bridge_of, processes.gone

local mark = processes.mark()

--- The process of the command of the turn.
---@param child test.Child
---@return integer
local function command_of(child)
  return processes.sleeps(child, mark)
end

--- A turn that says something, runs a command, and does not end.
local long = ([[
text "Before the end.\n"
call c1 exec_command {"cmd":"exec sleep %s"}
----
text "After it.\n"
]]):format(mark)

local function in_mid_turn(extra)
  local child = child_of.start(vim.tbl_extend("force", {
    files = { ["a.txt"] = "one\n" },
    script = long,
    options = { mode = "allow-all" },
  }, extra or {}))
  child:ex("edit a.txt")
  child:ex("Drawbridge prompt go")
  child:sees("Before the end.")
  return child
end

cases.run({
  {
    "quitting in mid-turn leaves no process",
    function()
      local child = in_mid_turn()
      local bridge, command = bridge_of(child), command_of(child)
      child:ex("qall!")
      equal(0, child:quits(), "how Neovim ended")
      gone("the bridge", bridge)
      gone("the command", command)
      child_of.last = nil
    end,
  },
  {
    "a Neovim that is killed, or whose terminal goes away, leaves no process",
    function()
      for _, signal in ipairs({ "sigkill", "sighup" }) do
        local child = in_mid_turn()
        local bridge, command = bridge_of(child), command_of(child)
        vim.uv.kill(vim.fn.jobpid(child.job), signal)
        child:quits()
        gone("the bridge", bridge)
        gone("the command", command)
      end
      child_of.last = nil
    end,
  },
  {
    "a Neovim that loses its terminal while something is asked ends all the same",
    function()
      local child = in_mid_turn({ options = { mode = "always-ask" } })
      child:sees(":Drawbridge approvals")
      local bridge = bridge_of(child)
      vim.uv.kill(vim.fn.jobpid(child.job), "sighup")
      holds(child:quits() ~= -1, "Neovim ended")
      gone("the bridge", bridge)
      child_of.last = nil
    end,
  },
  {
    "a bridge that is killed in mid-turn is started again, shows what was, and continues",
    function()
      local child = in_mid_turn()
      local command = command_of(child)
      vim.uv.kill(bridge_of(child), "sigkill")
      child:hears("is started again")
      child:sees("Interrupted")
      child:sees("Before the end.")
      holds(child:lua([[return require("drawbridge.state").current().turnId == nil]]), "no turn runs")
      gone("the command", command)
      -- The next bridge plays the script from its first step.
      child:ex("Drawbridge continue")
      child:sees("Continued")
      command_of(child)
      child:ex("Drawbridge stop")
      child:sees("Stopped")
    end,
  },
  {
    "the documents are told to the bridge that comes after a killed one",
    function()
      local child = in_mid_turn()
      command_of(child)
      local before = bridge_of(child)
      child:ex("2wincmd w")
      child:lua([[vim.api.nvim_buf_set_lines(vim.fn.bufnr("a.txt"), 0, -1, false, { "unsaved" })]])
      vim.uv.kill(before, "sigkill")
      child:sees("Interrupted")
      child:wait("the document is open there", function()
        return child:lua([[
          local client = require("drawbridge.client")
          return client.is_ready() and client.version_of(vim.uri_from_bufnr(vim.fn.bufnr("a.txt")))
        ]])
      end)
      equal({ "unsaved" }, child:lines("a.txt"), "the unsaved text")
    end,
  },
  {
    "an editor that is started again offers the last conversation and continues it",
    function()
      local child = in_mid_turn()
      local command = command_of(child)
      vim.uv.kill(vim.fn.jobpid(child.job), "sigkill")
      child:quits()
      gone("the command", command)
      child = child_of.start({ same = child, script = long, options = { mode = "allow-all" } })
      child:ex("Drawbridge")
      child:sees("Last here: go")
      child:sees(":Drawbridge continue")
      child:ex("Drawbridge continue")
      child:sees("Before the end.")
      child:sees("Continued")
      command_of(child)
      child:ex("Drawbridge stop")
      child:sees("Stopped")
    end,
  },
  {
    "the last conversation is opened without being continued",
    function()
      local child = child_of.start({ script = 'text "An answer.\\n"\n' })
      child:ex("Drawbridge prompt a question")
      child:sees("An answer.")
      child:stop()
      child = child_of.start({ same = child, script = 'text "Another.\\n"\n' })
      child:ex("Drawbridge resume")
      child:sees("An answer.")
      child:ex("Drawbridge prompt and again")
      child:sees("Another.")
    end,
  },
  {
    "a prompt in the middle of a restart is for the bridge that comes",
    function()
      local child = child_of.start({ script = 'text "An answer.\\n"\n' })
      child:ex("Drawbridge prompt first")
      child:sees("An answer.")
      child:wait("the turn is over", [[not require("drawbridge.state").current().turnId]])
      child:keys("<Esc>:Drawbridge restart<CR>:Drawbridge prompt second<CR>")
      child:wait("it is answered", [[(function()
        local c = require("drawbridge.state").current()
        return c and c.lastTurn == "t2" and not c.turnId
      end)()]])
      child:sees("❯ second")
      holds(not child:said():find("before it answered", 1, true), child:said())
    end,
  },
  {
    "a bridge that cannot be started says why and what helps",
    function()
      local child = child_of.start({ options = { cmd = { "/nonexistent/drawbridge" } } })
      child:ex("Drawbridge prompt hello")
      child:hears("/nonexistent/drawbridge cannot be run")
      child:sees(":checkhealth drawbridge says what to do")
      equal({ "hello" }, child:lines("drawbridge://prompt"), "what was said is not lost")
    end,
  },
  {
    "a bridge that keeps dying is not started for ever",
    function()
      local child = child_of.start({
        options = { cmd = { "false" } },
        before = [[
          -- The waits are counted, not waited for.
          local defer = vim.defer_fn
          waits = {}
          vim.defer_fn = function(fn, ms)
            if ms >= 200 and ms ~= 3000 or ms == 3000 and #waits == 2 then table.insert(waits, ms) ms = 1 end
            return defer(fn, ms)
          end
        ]],
      })
      child:ex("Drawbridge prompt hello")
      child:hears("ended with code 1, 6 times")
      child:sees("→ read :Drawbridge log")
    end,
  },
})
