-- Commands that wait for typing, run in the background, leave processes behind
-- or have pipes, as a bridge tells of them.

package.path = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h") .. "/?.lua;" .. package.path
local cases = require("cases")
local child_of = require("child")
local equal, holds = cases.equal, cases.holds

local here = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h")

---@param method string
---@param params table
---@return string method, string params
local function event(method, params)
  return method, vim.json.encode(vim.tbl_extend("force", { sessionId = "s1", seq = 1 }, params))
end

local opened = { terminalId = "x1", callId = "c1", title = "npm init", cwd = "/work", cols = 80, rows = 24 }

-- A child whose bridge tells of a command, then of what is given.
---@param events any[] Methods and params.
---@param options? table
---@return test.Child
local function told(events, options)
  local announced = '{"version":1,"serverVersion":"1"}'
  local cmd = { vim.v.progpath, "--clean", "-l", here .. "/fake.lua", announced }
  local child = child_of.start({ options = vim.tbl_extend("force", { cmd = cmd }, options or {}) })
  child:ex("Drawbridge new")
  child:wait("a session", [[require("drawbridge.client").session() == "s1"]])
  for i = 1, #events, 2 do
    local _, params = event(events[i], events[i + 1])
    child:lua(
      [[require("drawbridge.client").notify("state/wanted", { method = ..., params = vim.json.decode(select(2, ...)) })]],
      events[i],
      params
    )
  end
  return child
end

local call = { callId = "c1", name = "exec_command", title = "npm init", access = "execute", args = { cmd = "npm init" } }

---@return any[]
local function with(...)
  return vim.list_extend({ "turn/started", { turnId = "t1", prompt = {} }, "toolCall/started", call, "terminal/opened", opened }, { ... })
end

cases.run({
  {
    "a command that waits for typing says so and how to answer (C6)",
    function()
      local child = told(with(
        "state/changed", { state = "input", since = 0, detail = "npm init", callId = "c1" },
        "terminal/updated", { terminalId = "x1", waiting = true }
      ))
      child:sees("npm init  waits for typing")
      child:sees("a command waits for typing")
      child:ex("Drawbridge terminals")
      child:sees("waits for typing · i: type into it")
      child:lua([[require("drawbridge.client").notify("state/wanted", {
        method = "terminal/updated", params = { sessionId = "s1", seq = 9, terminalId = "x1" } })]])
      child:wait("it goes on", function()
        return not table.concat(child:screen(), "\n"):find("waits for typing · i:", 1, true)
      end)
    end,
  },
  {
    "a terminal is shown when its command waits for typing, where that is wished, and no key is taken",
    function()
      local child = told(with("terminal/updated", { terminalId = "x1", waiting = true }), { terminals = { open = "input" } })
      child:wait("the terminal is shown", [[#vim.fn.win_findbuf(vim.fn.bufnr("drawbridge://terminal/x1")) == 1]])
      holds(child:lua([[return not vim.b.drawbridge_terminal]]), "the cursor stays where it was")
    end,
  },
  {
    "what a command left behind is named where it is seen, and stands in the list",
    function()
      local child = told(with(
        "terminal/updated", {
          terminalId = "x1",
          background = true,
          exit = { code = 0 },
          survivors = { { pid = 41, name = "node server.js" }, { pid = 42, name = "esbuild" } },
        },
        "toolCall/completed", { callId = "c1", status = "completed", text = "up", terminalId = "x1", processId = "proc-1", durationMs = 9 }
      ))
      child:sees("npm init  exit code: 0, 2 still run")
      local shown = table.concat(child:lines("drawbridge://conversation"), "\n")
      holds(shown:find("still runs: node server.js (41)", 1, true), shown)
      local listed = child:lua([[return require("drawbridge.terminals").list()[1] ]])
      equal({ true, true, 2 }, { listed.running, listed.background, #listed.survivors })
      child:lua([[require("drawbridge.client").notify("state/wanted", {
        method = "terminal/closed", params = { sessionId = "s1", seq = 9, terminalId = "x1", exit = { code = 0 } } })]])
      child:sees("✓ npm init  done")
      equal(false, child:lua([[return require("drawbridge.terminals").list()[1].running]]))
    end,
  },
  {
    "the end of a background command is told, with the end of its output",
    function()
      local child = told({
        "turn/started", { turnId = "t2", prompt = {}, background = true },
        "turn/notified", {
          turnId = "t2",
          notices = { { processId = "proc-1", callId = "c1", title = "go test ./...", ok = false, detail = "exit code 1", tail = "FAIL greet\n" } },
        },
        "message/chunk", { text = "The tests failed." },
      })
      child:sees("go test ./...  ended, exit code 1")
      child:sees("The tests failed.")
      local shown = table.concat(child:lines("drawbridge://conversation"), "\n")
      holds(shown:find("```text\nFAIL greet\n```", 1, true), shown)
      holds(not shown:find("❯", 1, true), "nobody prompted it: " .. shown)
    end,
  },
  {
    "lines of a pipe begin at the left, and typing is shown and goes out by the line",
    function()
      local child = told({
        "turn/started", { turnId = "t1", prompt = {} },
        "toolCall/started", call,
        "terminal/opened", vim.tbl_extend("force", opened, { pipes = true }),
        "terminal/output", { terminalId = "x1", offset = 0, ["end"] = 8, data = "one\ntwo\n" },
      })
      child:wait("it is told of", [[#require("drawbridge.terminals").list() == 1]])
      child:ex("Drawbridge terminals")
      child:wait("both lines begin at the left", function()
        local lines = child:lines("terminal/x1") or {}
        return vim.trim(lines[1] or "") == "one" and lines[2] == "two"
      end)
      child:lua([[
        written = {}
        local client = require("drawbridge.client")
        local request = client.request
        client.request = function(method, params, cb)
          if method == "terminal/write" then table.insert(written, params.text) end
          return request(method, params, cb)
        end
      ]])
      child:keys("iadx<BS>a<CR>")
      child:wait("the line is sent", "#written > 0")
      equal({ "ada\n" }, child:lua("return written"))
      child:sees("ada")
    end,
  },
  {
    "a question says what holds the command, and shows the words of one that asks to leave",
    function()
      local child = told({ "turn/started", { turnId = "t1", prompt = {} }, "toolCall/started", call })
      for _, case in ipairs({
        { { sandbox = "bubblewrap", unconfined = false }, "in the sandbox (bubblewrap): writes only in the workspace" },
        { { unconfined = true }, "not confined: it can do whatever you can" },
        { { unconfined = true, escalation = "needs \27[2Jthe network" }, "the model's reason: needs ^[[2Jthe network" },
        { { unconfined = true, escalation = "one.\nTwo." }, "the model's reason: one. ⏎ Two." },
        { { unconfined = true, background = true }, "runs in the background from the start" },
        { { unconfined = false, sandbox = "landlock", typedInto = "npm init" }, "typed into the running command: npm init" },
      }) do
        local q = vim.tbl_extend("force", { text = "npm i", cwd = "/work", preset = "workspace-write" }, case[1])
        local facts = child:lua(
          [[local visible = require("drawbridge.visible").text
            return table.concat(vim.tbl_map(visible, require("drawbridge.running").facts(...)), "\n")]],
          q
        )
        holds(facts:find(case[2], 1, true), facts)
      end
    end,
  },
})
