-- What a question shows and what a yes leaves behind, on a bridge that says exactly
-- what is wanted: parts and their verdicts, rules that are remembered or rewritten,
-- why it is asked, and that it still waits.

package.path = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h") .. "/?.lua;" .. package.path
local cases = require("cases")
local child_of = require("child")
local equal, holds = cases.equal, cases.holds

local here = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h")

-- A vim.ui.select that keeps what it was asked.
local keeping = [[
  asked = {}
  vim.ui.select = function(items, opts, cb)
    table.insert(asked, { prompt = opts.prompt, labels = vim.tbl_map(opts.format_item or tostring, items), items = items, cb = cb })
  end
]]

local text = "cd sub && go test ./... | tee 'out put'\nrm -rf \27[2J/tmp/x"

---@param more? table
---@return table
local function question(more)
  return vim.tbl_extend("force", {
    approvalId = "a1",
    sessionId = "s1",
    turnId = "t1",
    callId = "c1",
    since = os.time() * 1000,
    title = "cd sub && go test ./...",
    reason = "no rule covers it",
    access = "execute",
    digest = "d1",
    derivation = { "preset workspace-write: a sandbox holds it", "deny rules: none fits", "mode always-ask: asks" },
    command = {
      text = text,
      cwd = "/",
      preset = "workspace-write",
      unconfined = false,
      sandbox = "a fake",
      parts = {
        { argv = { "cd", "sub" }, span = { start = 0, ["end"] = 6 }, verdict = "allow", why = "glue" },
        { argv = { "go", "test", "./..." }, span = { start = 10, ["end"] = 23 }, verdict = "ask", why = "no rule covers `go test ./...`" },
        { argv = { "tee", "out put" }, span = { start = 26, ["end"] = 39 }, verdict = "ask" },
        { argv = { "rm", "-rf", "\27[2J/tmp/x" }, span = { start = 40, ["end"] = 57 }, verdict = "deny", why = "rule rm, settings:3" },
      },
    },
    options = {
      { optionId = "once", kind = "allow", scope = "once", label = "Allow" },
      { optionId = "session", kind = "allow", scope = "session", label = "Allow in this session", rule = "held: go test" },
      { optionId = "workspace", kind = "allow", scope = "workspace", label = "Allow in this workspace", rule = "held: go test", editable = true },
      { optionId = "user", kind = "allow", scope = "user", label = "Allow always", rule = "held: go test\nwrite:out*", editable = true },
      { optionId = "no", kind = "deny", scope = "once", label = "Deny" },
    },
  }, more or {})
end

---@param child test.Child
---@param method string
---@param params table
---@param id? integer
local function send(child, method, params, id)
  child:lua(
    [[
    local method, params, id = ...
    if id == vim.NIL then id = nil end
    require("drawbridge.client").notify("state/wanted", { id = id, method = method, params = params })
  ]],
    method,
    params,
    id
  )
end

-- A child in a session, with a call that is asked about.
---@param more? table
---@param before? string
---@return test.Child
local function asked(more, before)
  local child = child_of.start({
    before = before or keeping,
    options = { cmd = { vim.v.progpath, "--clean", "-l", here .. "/fake.lua", '{"version":1,"serverVersion":"1"}' } },
  })
  child:ex("Drawbridge")
  child:keys("<Esc>")
  child:ex("Drawbridge new")
  child:wait("a session", [[require("drawbridge.client").session() == "s1"]])
  child:keys("<Esc>")
  local event = { sessionId = "s1", seq = 1, turnId = "t1", prompt = { { type = "text", text = "go" } } }
  send(child, "turn/started", event)
  event = { sessionId = "s1", seq = 2, callId = "c1", name = "exec_command", title = "go", access = "execute", args = { cmd = text } }
  send(child, "toolCall/started", event)
  send(child, "approval/request", question(more), 7)
  child:wait("it is asked", [[#require("drawbridge.approvals").pending() == 1]])
  return child
end

---@param child test.Child
---@param part string
local function choose(child, part)
  child:lua(
    [[
    local part, select = ..., table.remove(asked)
    for i, label in ipairs(select.labels) do
      if label:find(part, 1, true) then
        vim.schedule(function() select.cb(select.items[i]) end)
        return
      end
    end
    error(vim.inspect(select.labels))
  ]],
    part
  )
end

---@param child test.Child
local function ask(child)
  child:ex("Drawbridge approvals")
  child:wait("the choice is shown", "#asked > 0")
end

---@param child test.Child
---@return any
local function answer(child)
  local line = child:wait("it is answered", function()
    return child:file("answers")
  end)
  return vim.json.decode((line:match("[^\n]+")))
end

---@param child test.Child
---@param more table
local function resolved(child, more)
  local event = { sessionId = "s1", seq = 9, approvalId = "a1", callId = "c1", outcome = "allowed", by = "person" }
  send(child, "approval/resolved", vim.tbl_extend("force", event, more))
end

---@param child test.Child
local function typing(child)
  child:wait("a line is asked for", function()
    local mode = vim.rpcrequest(child.job, "nvim_get_mode")
    return mode.blocking or mode.mode == "c"
  end)
end

cases.run({
  {
    "each part of a command says what the rules say of it and why, in the conversation and beside the choice",
    function()
      local child = asked()
      child:sees("✓ allow  cd sub  (glue)")
      child:sees("✗ deny   rm -rf '^[[2J/tmp/x'")
      child:wait("it is folded out", [[vim.fn.getcmdline() == ""]])
      ask(child)
      child:sees("? ask    go test ./... ")
      child:sees("? ask    tee 'out put'")
      local marks = child:lua([[
        for _, win in ipairs(vim.api.nvim_list_wins()) do
          if vim.api.nvim_win_get_config(win).relative ~= "" then
            local buf, found = vim.api.nvim_win_get_buf(win), {}
            local ns = vim.api.nvim_create_namespace("drawbridge_preview")
            for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buf, ns, { 0, 0 }, { 1, -1 }, { details = true })) do
              local line = vim.api.nvim_buf_get_lines(buf, mark[2], mark[2] + 1, false)[1]
              table.insert(found, { line:sub(mark[3] + 1, mark[4].end_col), mark[4].hl_group })
            end
            return found
          end
        end
      ]])
      equal({
        { "cd sub", "DrawbridgeAllow" },
        { "go test ./...", "DrawbridgeAsk" },
        { "tee 'out put'", "DrawbridgeAsk" },
        { "rm -rf ^[[2J/tmp/x", "DrawbridgeDeny" },
      }, marks)
    end,
  },
  {
    "every longer yes names its rules to the letter; what was chosen is said once it counts",
    function()
      local child = asked()
      ask(child)
      local labels = child:lua("return asked[1].labels")
      equal("Allow in this workspace: held: go test", labels[3])
      equal("Allow always: held: go test  and  write:out*", labels[4])
      choose(child, "Allow in this workspace")
      equal({ outcome = "selected", optionId = "workspace" }, answer(child))
      holds(not child:said():find("remembered", 1, true), "nothing is remembered yet")
      resolved(child, {})
      child:hears("remembered in this workspace: held: go test")
    end,
  },
  {
    "a rule is rewritten before it is remembered; Esc and an empty line answer nothing (B38)",
    function()
      local child = asked()
      for _, keys in ipairs({ "<Esc>", "<C-u><CR>" }) do
        ask(child)
        choose(child, "Rewrite the rule")
        child:wait("which one", "#asked > 0")
        choose(child, "in this workspace")
        typing(child)
        child:keys(keys)
        child:wait("still asked", [[#require("drawbridge.approvals").pending() == 1]])
      end
      child:hears("an empty rule covers nothing")
      equal(nil, child:file("answers"))
      ask(child)
      choose(child, "Rewrite the rule")
      child:wait("which one", "#asked > 0")
      choose(child, "in this workspace")
      typing(child)
      child:keys(" ./...<CR>")
      equal({ outcome = "selected", optionId = "workspace", rule = "held: go test ./..." }, answer(child))
      resolved(child, {})
      child:hears("remembered in this workspace: held: go test ./...")
    end,
  },
  {
    "several rules are rewritten in a buffer; one that is not taken is asked again, saying so",
    function()
      local child = asked()
      ask(child)
      choose(child, "Rewrite the rule")
      child:wait("which one", "#asked > 0")
      equal({ "in this workspace: held: go test", "always: held: go test  and  write:out*" }, child:lua("return asked[1].labels"))
      choose(child, "always")
      child:wait("a buffer", [[vim.api.nvim_buf_get_name(0):find("drawbridge://rule/a1/user", 1, true) ~= nil]])
      equal({ "held: go test", "write:out*" }, child:lines())
      child:keys("ggdG")
      child:ex("Drawbridge accept")
      child:hears("an empty rule covers nothing")
      child:keys("u")
      child:wait("undone", [[vim.api.nvim_buf_line_count(0) == 2]])
      child:keys("Gdd")
      child:ex("write")
      child:hears("nothing is accepted yet")
      equal(nil, child:file("answers"))
      child:ex("Drawbridge accept")
      equal({ outcome = "selected", optionId = "user", rule = "held: go test" }, answer(child))
      send(child, "approval/request", question({ approvalId = "a2", reason = "that was no answer: it covers nothing here; mode" }), 8)
      child:hears("asked again, since held: go test was not taken: it covers nothing here")
      holds(not child:said():find("remembered always", 1, true), "nothing was remembered")
    end,
  },
  {
    "a rule that was rewritten for one reach is not the draft of another",
    function()
      local both = vim.tbl_map(function(o)
        o.rule = o.editable and "held: go test\nwrite:out*" or o.rule
        return o
      end, question().options)
      local child = asked({ options = both })
      local function rewrite(reach, name)
        ask(child)
        choose(child, "Rewrite the rule")
        child:wait("which one", "#asked > 0")
        choose(child, reach)
        child:wait("a buffer", ([[vim.api.nvim_buf_get_name(0):find("drawbridge://rule/a1/%s", 1, true) ~= nil]]):format(name))
      end
      rewrite("in this workspace", "workspace")
      child:keys("ggcGgo <lt>any><Esc>")
      rewrite("always", "user")
      equal({ "held: go test", "write:out*" }, child:lines())
      child:keys("Gdd")
      rewrite("in this workspace", "workspace")
      equal({ "go <any>" }, child:lines())
      rewrite("always", "user")
      child:ex("Drawbridge allow a1")
      equal({ outcome = "selected", optionId = "user", rule = "held: go test" }, answer(child))
    end,
  },
  {
    "a question that goes away says so in its untouched draft; accept there decides nothing, neither a hunk",
    function()
      local child = asked()
      child:lua([[require("drawbridge.review").fallen, require("drawbridge.rewind").accept = 0, function()
        require("drawbridge.review").fallen = require("drawbridge.review").fallen + 1
        return true
      end]])
      ask(child)
      choose(child, "Rewrite the rule")
      child:wait("which one", "#asked > 0")
      choose(child, "always")
      child:wait("a buffer", [[vim.api.nvim_buf_get_name(0):find("drawbridge://rule/a1/user", 1, true) ~= nil]])
      resolved(child, { outcome = "cancelled", by = "system", cause = "the turn was stopped" })
      child:hears("the question no longer stands")
      child:ex("Drawbridge accept")
      child:hears("nothing was accepted: the question of this draft no longer stands")
      equal(0, child:lua([[return require("drawbridge.review").fallen]]))
      equal("-32800\n", child:file("answers")) -- withdrawn, and no more was said
      child:ex("bdelete")
      child:ex("Drawbridge accept")
      equal(1, child:lua([[return require("drawbridge.review").fallen]]))
    end,
  },
  {
    "why it is asked is shown on demand: the checks, since when, and who asks; that answers nothing",
    function()
      local origin = { sessionId = "s0", callId = "c9", subagentId = "subagent-7d2a91c0", title = "review it" }
      local child = asked({ origin = origin, since = (os.time() - 300) * 1000 })
      child:sees("asked by subagent-7d2a91c0, started for:")
      ask(child)
      local prompt = child:lua("return asked[1].prompt")
      holds(prompt:find("^subagent%-7d2a91c0: Run: cd sub"), prompt)
      choose(child, "Show why")
      child:sees("How it came to be asked:")
      local page = table.concat(child:lines("drawbridge://question/a1"), "\n")
      holds(page:find("2  deny rules: none fits", 1, true), page)
      holds(page:find("has waited for 5 min", 1, true), page)
      holds(page:find("a yes for this session, in this workspace remembers: held: go test", 1, true), page)
      child:ex("close")
      child:ex("Drawbridge why a1")
      child:sees("How it came to be asked:")
      equal(nil, child:file("answers"))
      equal({ "a1" }, child:lua([[return vim.fn.getcompletion("Drawbridge why ", "cmdline")]]))
    end,
  },
  {
    "a question that waits is said anew, in a message and by the statusline; keys go where they went (B26, B21)",
    function()
      local child = asked({ since = (os.time() - 700) * 1000 }, keeping .. "said = {} vim.notify = function(m) table.insert(said, m) end")
      child:ex("enew")
      child:keys("ione")
      child:wait("typed", [[vim.api.nvim_get_current_line() == "one"]])
      local before = child:lua("return #said")
      local event = { sessionId = "s1", seq = 5, approvalId = "a1", callId = "c1", title = "go", count = 1 }
      send(child, "approval/reminder", vim.tbl_extend("force", event, { since = (os.time() - 700) * 1000 }))
      local reminder = child:wait("a message", ("said[%d]"):format(before + 1))
      holds(reminder:find("waiting for you for 11 min", 1, true), reminder)
      child:keys(" two<CR>")
      child:wait("the keys went on", function()
        return vim.deep_equal(child:lines(), { "one two", "" })
      end)
      equal(0, child:lua("return #asked"), "no choice opened")
      send(child, "state/changed", { sessionId = "s1", seq = 6, state = "approval", since = 1, detail = "" })
      child:wait("the turn waits", [[require("drawbridge.state").current().state.state == "approval"]])
      equal("drawbridge: waiting for you (1) for 11 min", child:lua([[return require("drawbridge").statusline()]]))
      -- One about a question that is settled says nothing.
      resolved(child, { outcome = "withdrawn", by = "cancel" })
      child:wait("none waits", [[#require("drawbridge.approvals").pending() == 0]])
      local count = child:lua("return #said")
      send(child, "approval/reminder", vim.tbl_extend("force", event, { since = 1, count = 2 }))
      send(child, "turn/completed", { sessionId = "s1", seq = 11, turnId = "t1", stopReason = "endTurn" })
      child:wait("it was heard", [[not require("drawbridge.state").current().turnId]])
      equal(count, child:lua("return #said"))
    end,
  },
  {
    "what a rule decided stands with its call: of a question, and where nobody was asked",
    function()
      local child = asked()
      resolved(child, { by = "grant", cause = "held: go test, in this workspace" })
      local done = { sessionId = "s1", seq = 10, callId = "c1", status = "completed", text = "ok", durationMs = 0 }
      send(child, "toolCall/completed", done)
      local started = { sessionId = "s1", seq = 11, callId = "c2", name = "exec_command", title = "git diff", access = "execute" }
      send(child, "toolCall/started", started)
      local decided = { seq = 12, callId = "c2", decision = "allowed by git diff (settings:4)" }
      send(child, "toolCall/completed", vim.tbl_extend("force", done, decided))
      started.callId, started.title, started.seq = "c3", "rm x", 13
      send(child, "toolCall/started", started)
      decided = { seq = 14, callId = "c3", status = "aborted", text = "Tool call denied by user.\nDenied by a rule: rm." }
      send(child, "toolCall/completed", vim.tbl_extend("force", done, decided))
      child:sees("git diff  done  allowed by git diff (set")
      child:sees("rm x  denied by a rule: rm.")
      local page = table.concat(child:lines("drawbridge://conversation"), "\n")
      holds(page:find("allowed by a grant: held: go test, in this workspace", 1, true), page)
      holds(page:find("nobody was asked: allowed by git diff (settings:4)", 1, true), page)
    end,
  },
})
