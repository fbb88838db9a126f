-- Subagents, on a bridge that says exactly what is wanted: what one does stands within
-- the call that started it, and its questions, changes and commands where all others do.

package.path = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h") .. "/?.lua;" .. package.path
local cases = require("cases")
local faked = require("faked")
local equal, holds = cases.equal, cases.holds
local send = faked.send

local id = "subagent-7d2a91c0"
local origin = { sessionId = "s1", callId = "c1", subagentId = id, title = "Run the tests and report" }

---@param more? table
---@return table
local function of_child(more)
  return vim.tbl_extend("force", { sessionId = "s2", seq = 1, origin = origin }, more or {})
end

---@param child test.Child
---@param more? table
local function updated(child, more)
  local subagent = { subagentId = id, sessionId = "s2", callId = "c1", title = origin.title, model = "script:x", state = "running", since = 1 }
  send(child, "subagent/updated", { sessionId = "s1", seq = 3, subagent = vim.tbl_extend("force", subagent, more or {}) })
end

-- A child whose model has started a subagent that has said a word and called a tool.
---@param before? string
---@param ... string
---@return test.Child
local function started(before, ...)
  local child = faked.start({ before = before }, ...)
  local args = { prompt = "Run the tests, please.", description = "Run the tests" }
  local call = { sessionId = "s1", seq = 2, callId = "c1", name = "run_subagent", title = "Run the tests", access = "execute", args = args }
  send(child, "toolCall/started", call)
  updated(child)
  send(child, "turn/started", of_child({ turnId = "t1x", prompt = { { type = "text", text = args.prompt } } }))
  send(child, "message/chunk", of_child({ text = "I look **first**.\n\n```go\nfunc f" }))
  local read = { callId = "c1x", name = "read", title = "Read a.txt", access = "read", args = { path = "a.txt" } }
  send(child, "toolCall/started", of_child(read))
  send(child, "toolCall/completed", of_child({ callId = "c1x", status = "completed", text = "its text", durationMs = 1 }))
  child:wait("it has read", [[#(require("drawbridge.state").get("s2") or { items = {} }).items == 3]])
  return child
end

---@param child test.Child
---@param more? table
---@param request_id? integer
local function ask(child, more, request_id)
  local call = { callId = "c2x", name = "bash", title = "go test ./...", access = "execute", args = { command = "go test ./..." } }
  send(child, "toolCall/started", of_child(call))
  local question = {
    approvalId = "a1x",
    sessionId = "s2",
    turnId = "t1x",
    callId = "c2x",
    origin = origin,
    since = os.time() * 1000,
    title = "go test ./...",
    reason = "no rule covers it",
    access = "execute",
    digest = "d1",
    derivation = {},
    command = { text = "go test ./...", cwd = "/", preset = "workspace-write", unconfined = false, sandbox = "a fake" },
    options = {
      { optionId = "once", kind = "allow", scope = "once", label = "Allow" },
      { optionId = "no", kind = "deny", scope = "once", label = "Deny" },
    },
  }
  send(child, "approval/request", vim.tbl_extend("force", question, more or {}), request_id or 7)
  updated(child, { state = "waiting", questions = 1 })
  child:wait("it is asked", [[#require("drawbridge.state").asked() > 0]])
end

---@param change_id string
---@param more? table
---@return table
local function change(change_id, more)
  local range = { start = { line = 0, character = 0 }, ["end"] = { line = 1, character = 0 } }
  local hunk = { hunkId = "h1", header = "@@ -1,1 +1,1 @@", oldRange = range, newRange = range, oldText = "a\n", newText = "A\n", state = "applied" }
  local event = { changeId = change_id, callId = "c1x", turnId = "t1x", uri = "file:///srv/a.txt", kind = "modify", state = "applied", base = "b1", hunks = { hunk } }
  return vim.tbl_extend("force", event, more or {})
end

-- The level of the fold of each line of the conversation that holds a text.
---@param child test.Child
---@param text string
---@return integer
local function level(child, text)
  return child:lua(
    [[
    local text, b = ..., require("drawbridge.conversation").buffer()
    return vim.api.nvim_win_call(vim.fn.win_findbuf(b)[1], function()
      for i, line in ipairs(vim.api.nvim_buf_get_lines(b, 0, -1, false)) do
        if line:find(text, 1, true) then return vim.fn.foldlevel(i) end
      end
      return -1
    end)
  ]],
    text
  )
end

cases.run({
  {
    "what it does is nested in the call that started it: its state, its text, its calls folded",
    function()
      local child = started()
      child:stands(id .. " works")
      child:stands("  I look **first**.")
      child:stands("  ✓ Read a.txt  done")
      equal({ 1, 2, 2 }, { level(child, "I look"), level(child, "✓ Read a.txt"), level(child, "its text") })
      -- Code that goes on is closed, so that what follows is not taken for it.
      holds(child:conversation():find("  func f\n  ```", 1, true), child:conversation())
      child:keys("<C-w>k")
      child:ex("call cursor(1, 1)")
      child:ex("call search('run_subagent\\|Run the tests')")
      child:keys("zo")
      child:sees("I look **first**.")
      child:sees("✓ Read a.txt  done")
      child:sees_no("its text") -- its calls stay folded
      child:ex("call search('Read a.txt')")
      child:keys("zo")
      child:sees("its text")
      -- What comes later is written where it belongs, and what is open stays so.
      send(child, "message/chunk", of_child({ text = "unc()\n```\nAll is well." }))
      updated(child, { state = "idle", detail = "answered" })
      local done = { sessionId = "s1", seq = 9, callId = "c1", status = "completed", text = "All is well.", durationMs = 9 }
      send(child, "toolCall/completed", done)
      send(child, "message/chunk", { sessionId = "s1", seq = 10, text = "It said so." })
      child:sees("All is well.")
      child:sees("its text")
      child:stands(id .. " has answered: answered")
      child:stands("what the model reads")
      child:stands("It said so.")
      equal(2, level(child, "what the model reads"))
      equal(0, level(child, "It said so."))
      equal("", child:lua([[return table.concat(require("drawbridge.say").faults, "\n")]]))
    end,
  },
  {
    "its question is seen in the call, listed by its name, and answered by its session",
    function()
      local child = started([[
        asked = {}
        vim.ui.select = function(items, opts, cb)
          table.insert(asked, { prompt = opts.prompt, labels = vim.tbl_map(opts.format_item or tostring, items) })
        end
      ]])
      ask(child)
      child:sees("? go test ./...  waiting for you")
      child:sees("asked by " .. id)
      child:sees("? go test ./...")
      holds(child:lua([[return require("drawbridge").statusline()]]):find("waiting for you (1)", 1, true), "the statusline says it")
      child:ex("Drawbridge approvals")
      child:wait("it is shown", "#asked == 1")
      holds(child:lua("return asked[1].prompt"):find(id .. ": Run: go test ./...", 1, true), child:lua("return asked[1].prompt"))
      equal({ "a1x" }, child:lua([[return vim.fn.getcompletion("Drawbridge allow ", "cmdline")]]))
      child:ex("Drawbridge deny a1x not now")
      child:wait("it is answered", function()
        return child:file("answers")
      end)
      local answer = faked.answered(child)[1]
      equal({ "no", "not now" }, { answer.optionId, answer.comment })
    end,
  },
  {
    "without a name the question under the cursor is answered, of a call or of the whole subagent",
    function()
      local child = started()
      ask(child)
      local own = { sessionId = "s1", seq = 5, callId = "c2", name = "exec_command", title = "make", access = "execute", args = { cmd = "make" } }
      send(child, "toolCall/started", own)
      local text = { text = "make", cwd = "/", preset = "workspace-write", unconfined = true }
      send(child, "approval/request", {
        approvalId = "a2", sessionId = "s1", turnId = "t1", callId = "c2", since = 1, title = "make", reason = "-", access = "execute",
        digest = "d", derivation = {}, command = text,
        options = {
          { optionId = "yes", kind = "allow", scope = "once", label = "Allow" },
          { optionId = "no", kind = "deny", scope = "once", label = "Deny" },
        },
      }, 8)
      child:wait("both are asked", [[#require("drawbridge.state").asked() == 2]])
      vim.wait(1100)
      child:keys("<C-w>k")
      child:ex("call search('go test', 'cw')")
      child:ex("Drawbridge allow")
      child:wait("one is answered", [[#require("drawbridge.approvals").pending() == 1]])
      equal("a2", child:lua([[return require("drawbridge.approvals").pending()[1].approvalId]]))
      child:wait("the answer is on its way", function()
        return #faked.answered(child) == 1
      end)
      equal("once", faked.answered(child)[1].optionId)
    end,
  },
  {
    "the address that would be read is shown whole",
    function()
      local child = started()
      ask(child, { command = vim.NIL, access = "read", title = "Read https://host.example/…", url = "https://host.example/a?b=c" })
      child:sees("the address: https://host.example/a?b=c")
      child:ex("Drawbridge why")
      child:sees("the address: https://host.example/a?b=c")
    end,
  },
  {
    "its changes are listed under its name in the turn, and decided by its session; its commands are listed",
    function()
      local child = started(nil, "=change/resolveAll", '{"changes":[]}')
      send(child, "change/updated", { sessionId = "s1", seq = 6, changeId = "g1", callId = "c9", turnId = "t1", uri = "file:///srv/b.txt",
        kind = "create", state = "applied", base = "b1", hunks = change("g1").hunks })
      send(child, "change/updated", of_child(change("g1x")))
      child:wait("both are known", [[#require("drawbridge.review.catalogue").changes() == 2]])
      child:ex("Drawbridge changes")
      child:sees(id .. ": Run the tests and report  (1 undecided)")
      equal({ "g1x:/srv/a.txt", "g1:/srv/b.txt" }, child:lua([[return vim.fn.getcompletion("Drawbridge diff ", "cmdline")]]))
      equal({ "t1:go", "all", "undo" }, child:lua([[return vim.fn.getcompletion("Drawbridge rewind ", "cmdline")]]))
      child:ex("Drawbridge rejectturn")
      child:wait("both sessions are told", function()
        return #faked.asked(child, "change/resolveAll") == 2
      end)
      local told = {}
      for _, params in ipairs(faked.asked(child, "change/resolveAll")) do
        told[params.sessionId] = params.turnId
      end
      equal({ s1 = "t1", s2 = "t1x" }, told)
      -- On its own lines the turn is the conversation's.
      child:keys("1G")
      equal("t1", child:lua([[return require("drawbridge.review.catalogue").turn_at_cursor()]]))
      send(child, "terminal/opened", of_child({ terminalId = "x1x", callId = "c2x", title = "sleep 9", cwd = "/", cols = 80, rows = 24 }))
      child:wait("it is listed", [[#require("drawbridge.terminals").list() == 1]])
      equal({ "x1x" }, child:lua([[return vim.fn.getcompletion("Drawbridge terminals ", "cmdline")]]))
      child:lua([[vim.ui.select = function(items, opts) listed = vim.tbl_map(opts.format_item, items) end]])
      send(child, "terminal/opened", of_child({ terminalId = "x2x", callId = "c2x", title = "sleep 8", cwd = "/", cols = 80, rows = 24 }))
      child:wait("both are listed", [[#require("drawbridge.terminals").list() == 2]])
      child:ex("Drawbridge terminals")
      child:wait("they are offered", "listed")
      equal("x2x  runs: sleep 8  (of " .. id .. ")", child:lua("return listed[1]"))
    end,
  },
  {
    "they are listed with how they stand; one is shown as it works, and stopped",
    function()
      local child = started(nil, "=subagent/kill", "{}")
      child:ex("Drawbridge subagents")
      child:sees(id .. "  works · Run the tests and report  (script:x)")
      updated(child, { state = "running", background = true })
      child:sees("works, in the background")
      holds(child:lua([[return require("drawbridge").statusline()]]):find("1 in the background", 1, true), "the statusline counts it")
      child:keys("<CR>")
      child:sees("❯ Run the tests, please.")
      child:wait("it is a page of its own", ([[vim.api.nvim_buf_get_name(0) == "drawbridge://subagent/%s"]]):format(id))
      equal(false, child:lua("return vim.bo.modifiable"), "nothing is typed into it")
      send(child, "message/chunk", of_child({ text = "unc()\n```\n\nStill at it." }))
      child:sees("Still at it.")
      equal("s1", child:lua([[return require("drawbridge.client").session()]]), "the conversation stays")
      child:ex("Drawbridge kill " .. id)
      child:hears(id .. " was stopped")
      equal({ { sessionId = "s1", subagentId = id } }, faked.asked(child, "subagent/kill"))
      updated(child, { state = "ended", detail = "stopped by you" })
      child:sees("ended: stopped by you")
      child:ex("quit")
      child:sees_no("prompt: Run") -- the call is folded
      child:ex("Drawbridge subagents")
      child:wait("the list is at hand", [[vim.api.nvim_buf_get_name(0) == "drawbridge://subagents"]])
      child:keys("d")
      child:hears("that subagent has ended already")
      equal("", child:lua([[return table.concat(require("drawbridge.say").faults, "\n")]]))
    end,
  },
  {
    "one of an earlier run is read when it is shown, without going to it",
    function()
      local session = { sessionId = "s2", title = "", cwd = "/", roots = { "/" }, model = "", mode = "always-ask", preset = "workspace-write" }
      session.profile, session.state, session.createdAt, session.updatedAt, session.origin = "default", "idle", 0, 0, origin
      local child = faked.start({}, "=session/load", vim.json.encode({ session = session }))
      local call = { sessionId = "s1", seq = 2, callId = "c1", name = "run_subagent", title = "Run", access = "execute", replayed = true }
      send(child, "toolCall/started", call)
      updated(child, { state = "ended" })
      child:stands(":Drawbridge subagents shows what it did")
      child:ex("Drawbridge subagents " .. id)
      child:wait("it is asked for", function()
        return #faked.asked(child, "session/load") == 1
      end)
      send(child, "message/chunk", of_child({ text = "That was then.", replayed = true }))
      child:sees("That was then.")
      equal("s1", child:lua([[return require("drawbridge.client").session()]]))
      child:stands("  That was then.")
    end,
  },
  {
    "the user's autocmds for the end of a turn do not hear of a subagent's; one of their own does",
    function()
      local child = started([[
        heard = {}
        vim.api.nvim_create_autocmd("User", { pattern = "Drawbridge*", callback = function(args)
          table.insert(heard, args.match .. (args.data.origin and " of a subagent" or ""))
        end })
      ]])
      send(child, "turn/completed", of_child({ turnId = "t1x", stopReason = "endTurn", usage = { inputTokens = 1, outputTokens = 1 } }))
      send(child, "turn/completed", { sessionId = "s1", seq = 9, turnId = "t1", stopReason = "endTurn", usage = { inputTokens = 1, outputTokens = 1 } })
      child:wait("the end is heard", [[vim.list_contains(heard, "DrawbridgeTurnCompleted")]])
      equal({ "DrawbridgeTurnStarted", "DrawbridgeSubagent", "DrawbridgeTurnCompleted" }, child:lua("return heard"))
    end,
  },
  {
    "when the bridge dies its subagents have ended",
    function()
      local child = started()
      child:lua([[require("drawbridge.client").stop()]])
      child:stands(id .. " ended: the bridge ended")
    end,
  },
})
