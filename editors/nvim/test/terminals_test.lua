-- Terminals: what a command of the agent shows, and what typing does to it.

package.path = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h") .. "/?.lua;" .. package.path
local cases = require("cases")
local child_of = require("child")
local processes = require("processes")
local equal, holds = cases.equal, cases.holds

---@param command string
---@return test.Child
local function running(command, options)
  local child = child_of.start({
    options = vim.tbl_extend("force", { mode = "allow-all" }, options or {}),
    script = ("call c1 exec_command %s\n----\ntext \"Done.\"\n"):format(vim.json.encode({ cmd = command })),
  })
  child:prompt("run it")
  child:wait("a terminal opened", [[#require("drawbridge.terminals").list() == 1]])
  return child
end

local function text(child)
  return table.concat(child:lines("terminal/x1") or {}, "\n")
end

cases.run({
  {
    "a command asks, is typed into, and its exit code is shown",
    function()
      local child = running("printf 'name? '; read name; echo hello $name; exit 3")
      child:ex("Drawbridge terminals")
      child:sees("name?")
      child:keys("iada<CR>")
      child:sees("hello ada")
      child:sees("[exit code: 3]")
      child:ended()
      -- What is typed on is for nobody, and does no harm.
      child:keys("more<CR>")
      child:keys([[<C-\><C-n>]])
      holds(not text(child):find("more", 1, true), "keys after the end are not shown")
    end,
  },
  {
    "a command nobody looked at is shown from its start",
    function()
      local child = running("echo first; echo second")
      child:ended()
      equal(1, #child:lua([[return require("drawbridge.terminals").list()]]))
      holds(not child:lines("terminal/x1"), "no buffer is made unasked")
      child:ex("Drawbridge terminals x1")
      child:sees("first")
      child:sees("second")
      child:sees("[exit code: 0]")
    end,
  },
  {
    "the command has the size of its window, also when that changes",
    function()
      local child = running(
        'while :; do now=$(stty size); [ "$now" = "$last" ] || echo "$now"; last=$now; sleep 0.05; done'
      )
      child:ex("Drawbridge terminals")
      child:wait("a size is shown", function()
        return text(child):match("%d+ %d+")
      end)
      child:ex("resize 9") -- one line of it is the title
      child:wait("the new size is shown", function()
        return text(child):find("8 100", 1, true)
      end)
      child:ex("Drawbridge kill")
      child:sees("[ended by SIG")
      child:ended()
    end,
  },
  {
    "a command is killed, and what it started with it; the turn goes on",
    function()
      local mark = processes.mark()
      local child = running(("sleep %s & echo started; wait"):format(mark))
      child:ex("Drawbridge terminals")
      child:sees("started")
      local pid = processes.sleeps(child, mark)
      child:ex("Drawbridge kill")
      equal("endTurn", child:ended().stopReason)
      processes.gone("the sleeper", pid)
    end,
  },
  {
    "colours and a long output arrive whole",
    function()
      local child = running("printf '\\033[31mred\\033[0m\\n'; seq 1 60000; echo the end")
      child:ended()
      child:ex("Drawbridge terminals x1")
      child:sees("the end")
      local lines = child:lines("terminal/x1")
      local before
      for _, line in ipairs(lines) do
        local n = tonumber(line)
        if n then
          holds(not before or n == before + 1, "no line is missing at " .. line)
          before = n
        end
      end
      equal(60000, before)
      holds(#lines <= 10100, "the scrollback is bounded")
    end,
  },
  {
    "a wiped terminal buffer comes back with what it showed",
    function()
      local child = running("echo shown; read x; echo after $x")
      child:ex("Drawbridge terminals")
      child:sees("shown")
      child:ex("bwipeout!")
      child:ex("Drawbridge terminals")
      child:sees("shown")
      child:keys("iagain<CR>")
      child:sees("after again")
      child:ended()
    end,
  },
  {
    "replies of the emulator to old output are not typed into the command",
    function()
      local child = running("printf '\\033[6n\\033[c'; sleep 0.3; echo ready; read -r x; printf '%s' \"$x\" | od -c | head -3; echo complete")
      child:wait("it is ready", function()
        return child:lua([[local c = require("drawbridge.state").current(); return c ~= nil and #require("drawbridge.terminals").list() == 1]])
      end)
      vim.wait(600)
      child:ex("Drawbridge terminals")
      child:sees("ready")
      child:keys("ix<CR>")
      child:sees("complete")
      holds(text(child):find("0000000   x", 1, true), "only x was typed: " .. text(child))
      child:ended()
    end,
  },
  {
    "of ended commands only so many keep their output",
    function()
      local steps = {}
      for i = 1, 5 do
        steps[i] = ('call c%d exec_command {"cmd":"echo run%d"}\n----\n'):format(i, i)
      end
      local child = child_of.start({
        options = { mode = "allow-all", terminals = { keep = 2 } },
        script = table.concat(steps) .. 'text "Done."\n',
      })
      child:prompt("run them")
      child:ended()
      local ids = vim.tbl_map(function(terminal)
        return terminal.terminalId
      end, child:lua([[return require("drawbridge.terminals").list()]]))
      equal({ "x5", "x4" }, ids)
    end,
  },
  {
    "after a killed bridge the end of the output is shown again, for reading only (C8)",
    function()
      local first = running("echo before the $(printf end); sleep 300")
      first:ex("Drawbridge terminals")
      first:sees("before the end")
      first:wait("the bridge has put it aside", function()
        return vim.fn.glob(first.home .. "/**/*.tail") ~= ""
      end)
      local bridge = first:lua([[
        for _, p in ipairs(vim.api.nvim_get_proc_children(vim.fn.getpid())) do return p end
      ]])
      vim.uv.kill(bridge, "sigkill")
      first:wait("the terminal says it", function()
        return text(first):find("the bridge ended", 1, true)
      end)
      first:stop()
      local child = child_of.start({ same = first, options = { mode = "allow-all" } })
      child:ex("Drawbridge resume")
      child:wait("the terminal is listed", [[#require("drawbridge.terminals").list() == 1]])
      child:wait("it has ended", [[not require("drawbridge.terminals").list()[1].running ]])
      child:ex("Drawbridge terminals x1")
      child:sees("before the end")
      child:sees("the end of its output, from before")
    end,
  },
  {
    "a gap in the output is read afterwards, in its place",
    function()
      local child = running("printf 'on%s\\n' e; sleep 300")
      child:wait("it wrote", function()
        return child:lua([[return require("drawbridge.terminals").list()[1] ~= nil]])
      end)
      child:ex("Drawbridge terminals")
      child:sees("one")
      -- What a slow client is sent: a piece that leaves something out.
      child:lua([[
        local client = require("drawbridge.client")
        local request = client.request
        client.request = function(method, params, cb)
          if method ~= "terminal/read" then return request(method, params, cb) end
          vim.defer_fn(function()
            cb(nil, { data = "two\r\n", offset = params.offset, ["end"] = params.offset + 5, eof = false })
          end, 50)
        end
        local function output(offset, data, gap)
          vim.lsp.get_clients({ name = "drawbridge" })[1].handlers["terminal/output"](nil, {
            sessionId = client.session(), terminalId = "x1", seq = 1,
            offset = offset, ["end"] = offset + #data, data = data, gap = gap,
          }, {})
        end
        output(10, "three\r\n", 5)
        output(17, "four\r\n")
      ]])
      child:sees("four")
      local shown = vim.tbl_filter(function(line)
        return line ~= ""
      end, child:lines("terminal/x1"))
      equal({ "one", "two", "three", "four" }, shown)
      child:ex("Drawbridge kill")
      child:ended()
    end,
  },
  {
    "with terminals.open a running command is shown, and the cursor stays",
    function()
      local child = child_of.start({
        options = { mode = "allow-all", terminals = { open = "running" } },
        script = 'call c1 exec_command {"cmd":"echo shown; sleep 300"}\n----\ntext "Done."\n',
      })
      child:keys("itext")
      child:prompt("go")
      child:wait("it is shown", "#vim.api.nvim_list_wins() == 2")
      child:sees("shown")
      child:keys(" goes on")
      child:wait("what is typed goes where it went", function()
        return vim.deep_equal(child:lines(), { "text goes on" })
      end)
      child:ex("Drawbridge stop")
      child:ended()
    end,
  },
})
