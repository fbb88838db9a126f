--- The conversations of this editor, made from the events of their sessions and
--- from nothing else. It knows no buffer and no window: views listen by
--- `on_change` and draw what they are told.

local M = {}

---@class drawbridge.Item One thing that a conversation shows.
---@field kind "prompt"|"steer"|"message"|"thought"|"call"|"end"|"continued"|"notice"
---@field key integer Unique in its conversation, and stays.
---@field turnId string The turn it belongs to; "" for a notice.
---@field replaced? boolean Its turn was asked anew; the model no longer sees it.
---@field text? string message, thought, notice: the text; call: what the model reads of it.
---@field blocks? drawbridge.Block[] prompt, steer: what the person said.
---@field pending? boolean steer: the model has not read it yet.
---@field callId? string call
---@field name? string call: the tool.
---@field title? string call: one line.
---@field access? drawbridge.Access call
---@field args? table<string, any> call
---@field status? "running"|drawbridge.CallStatus call
---@field resolution? drawbridge.ApprovalResolved call: how its newest question ended.
---@field changeId? string call
---@field terminalId? string call
---@field startedAt? integer call, thought: by this side's clock in ms; absent for history.
---@field durationMs? integer call, thought
---@field stopReason? drawbridge.StopReason end
---@field cause? string end
---@field hint? string end
---@field returned? drawbridge.Block[] end: steering text that the model never read.
---@field usage? drawbridge.Usage end
---@field resumed? boolean end: another turn took it up.

---@class drawbridge.TerminalInfo
---@field terminalId string
---@field sessionId string
---@field callId string
---@field title string
---@field cwd string
---@field cols integer
---@field rows integer
---@field exit? drawbridge.Exit Absent while it runs.
---@field tail? string The end of the output of a command of an earlier run of the bridge.
---@field replayed? boolean

---@class drawbridge.StateNow
---@field state drawbridge.State
---@field since integer By this side's clock, in ms.
---@field detail string
---@field attempt? integer
---@field max? integer
---@field callId? string

---@class drawbridge.Conversation
---@field sessionId string
---@field session? drawbridge.Session
---@field items drawbridge.Item[] Oldest first.
---@field calls table<string, drawbridge.Item> The newest call of each id.
---@field state drawbridge.StateNow
---@field turnId? string The turn that runs.
---@field lastTurn? string The newest turn, running or not.
---@field lastPrompt? string The newest turn that began with a prompt.
---@field approvals drawbridge.ApprovalRequestParams[] Open questions, in the order they were asked.
---@field changes table<string, drawbridge.ChangeUpdated>
---@field changeOrder string[] Ids of changes, oldest first.
---@field terminals table<string, drawbridge.TerminalInfo>
---@field terminalOrder string[] Ids of terminals, oldest first.
---@field total? drawbridge.Usage
---@field contextTokens? integer
---@field contextLimit? integer
---@field lastSeq integer

---@class drawbridge.What What became different in a conversation.
---@field kind "reset"|"item"|"state"|"session"|"approvals"|"change"|"terminal"|"usage"|"turn"|"current"
---@field op? "added"|"text"|"changed" item
---@field item? drawbridge.Item item
---@field text? string item, op text: what was appended to its text.
---@field approval? drawbridge.ApprovalRequestParams approvals: the one that came or went.
---@field changeId? string change
---@field terminalId? string terminal
---@field replayed? boolean It is history.

---@type table<string, drawbridge.Conversation>
local conversations = {}
---@type string?
local current
---@type table<integer, fun(session_id: string, what: drawbridge.What)>
local listeners = {}
local last_listener = 0
local last_key = 0

---@return integer ms
local function now()
  return math.floor(vim.uv.hrtime() / 1e6)
end

---@param session_id string
---@return drawbridge.Conversation
local function empty(session_id)
  return {
    sessionId = session_id,
    items = {},
    calls = {},
    state = { state = "idle", since = now(), detail = "" },
    approvals = {},
    changes = {},
    changeOrder = {},
    terminals = {},
    terminalOrder = {},
    lastSeq = 0,
  }
end

--- A listener that fails must not keep the others from hearing.
---@param c drawbridge.Conversation
---@param what drawbridge.What
local function tell(c, what)
  for id = 1, last_listener do
    local fn = listeners[id]
    if fn then
      local ok, err = xpcall(fn, debug.traceback, c.sessionId, what)
      if not ok then
        require("drawbridge.say").fault(what.kind, err)
      end
    end
  end
end

---@param c drawbridge.Conversation
---@param item drawbridge.Item
---@param replayed? boolean
---@return drawbridge.Item
local function add(c, item, replayed)
  last_key = last_key + 1
  item.key = last_key
  table.insert(c.items, item)
  tell(c, { kind = "item", op = "added", item = item, replayed = replayed })
  return item
end

--- Thinking has no event that ends it: whatever comes next does.
---@param c drawbridge.Conversation
---@param except? string A kind that does not end it.
local function end_thought(c, except)
  local last = c.items[#c.items]
  if last and last.kind == "thought" and last.kind ~= except and last.startedAt and not last.durationMs then
    last.durationMs = now() - last.startedAt
    tell(c, { kind = "item", op = "changed", item = last })
  end
end

---@param c drawbridge.Conversation
---@param kind "message"|"thought"
---@param p drawbridge.MessageChunk|drawbridge.ThoughtChunk
local function chunk(c, kind, p)
  end_thought(c, kind)
  local last = c.items[#c.items]
  if last and last.kind == kind and last.turnId == (c.lastTurn or "") then
    last.text = last.text .. p.text
    tell(c, { kind = "item", op = "text", item = last, text = p.text, replayed = p.replayed })
    return
  end
  add(c, {
    kind = kind,
    key = 0,
    turnId = c.lastTurn or "",
    text = p.text,
    startedAt = kind == "thought" and not p.replayed and now() or nil,
  }, p.replayed)
end

---@type table<string, fun(c: drawbridge.Conversation, p: table)>
local reduce = {}

---@param p drawbridge.SessionUpdated
reduce["session/updated"] = function(c, p)
  c.session = p.session
  tell(c, { kind = "session", replayed = p.replayed })
end

--- Marks a turn and all that came after it: only later turns can have taken it up.
---@param c drawbridge.Conversation
---@param turn_id string
local function replace(c, turn_id)
  local found = false
  for _, item in ipairs(c.items) do
    found = found or item.turnId == turn_id
    item.replaced = item.replaced or found
  end
  tell(c, { kind = "reset" })
end

---@param p drawbridge.TurnStarted
reduce["turn/started"] = function(c, p)
  c.turnId, c.lastTurn = p.turnId, p.turnId
  if p.continues then
    for _, item in ipairs(c.items) do
      if item.kind == "end" and item.turnId == p.continues then
        item.resumed = true
        tell(c, { kind = "item", op = "changed", item = item, replayed = p.replayed })
      end
    end
  end
  if p.replaces then
    replace(c, p.replaces)
  end
  if p.continues and #p.prompt == 0 then
    add(c, { kind = "continued", key = 0, turnId = p.turnId }, p.replayed)
  else
    c.lastPrompt = p.turnId
    add(c, { kind = "prompt", key = 0, turnId = p.turnId, blocks = p.prompt }, p.replayed)
  end
  tell(c, { kind = "turn", replayed = p.replayed })
end

---@param p drawbridge.TurnSteered
reduce["turn/steered"] = function(c, p)
  end_thought(c)
  local blocks = p.content
  for _, item in ipairs(c.items) do
    if item.kind == "steer" and item.pending and vim.deep_equal(item.blocks, blocks) then
      item.pending = nil
      tell(c, { kind = "item", op = "changed", item = item, replayed = p.replayed })
      return
    end
  end
  add(c, { kind = "steer", key = 0, turnId = c.lastTurn or "", blocks = blocks }, p.replayed)
end

---@param p drawbridge.StateChanged
reduce["state/changed"] = function(c, p)
  c.state = {
    state = p.state,
    since = now(),
    detail = p.detail,
    attempt = p.attempt,
    max = p.max,
    callId = p.callId,
  }
  tell(c, { kind = "state", replayed = p.replayed })
end

reduce["message/chunk"] = function(c, p)
  chunk(c, "message", p)
end

reduce["thought/chunk"] = function(c, p)
  chunk(c, "thought", p)
end

---@param p drawbridge.ToolCallStarted
reduce["toolCall/started"] = function(c, p)
  end_thought(c)
  c.calls[p.callId] = add(c, {
    kind = "call",
    key = 0,
    turnId = c.lastTurn or "",
    callId = p.callId,
    name = p.name,
    title = p.title,
    access = p.access,
    args = p.args,
    status = "running",
    text = "",
    startedAt = not p.replayed and now() or nil,
  }, p.replayed)
end

---@param p drawbridge.ToolCallUpdated
reduce["toolCall/updated"] = function(c, p)
  local item = c.calls[p.callId]
  if not item or item.status ~= "running" then
    return
  end
  if p.title and p.title ~= item.title then
    item.title = p.title
    tell(c, { kind = "item", op = "changed", item = item, replayed = p.replayed })
  end
  if p.text and p.text ~= "" then
    item.text = item.text .. p.text
    tell(c, { kind = "item", op = "text", item = item, text = p.text, replayed = p.replayed })
  end
end

---@param p drawbridge.ToolCallCompleted
reduce["toolCall/completed"] = function(c, p)
  local item = c.calls[p.callId]
  if not item then
    return
  end
  item.status = p.status
  item.text = p.text
  item.changeId = p.changeId or item.changeId
  item.terminalId = p.terminalId or item.terminalId
  item.durationMs = p.durationMs
  tell(c, { kind = "item", op = "changed", item = item, replayed = p.replayed })
end

---@param p drawbridge.UsageUpdated
reduce["usage/updated"] = function(c, p)
  c.total = p.total
  c.contextTokens = p.contextTokens
  c.contextLimit = p.contextLimit
  tell(c, { kind = "usage", replayed = p.replayed })
end

---@param p drawbridge.TurnCompleted
reduce["turn/completed"] = function(c, p)
  end_thought(c)
  c.turnId = nil
  c.state = { state = "idle", since = now(), detail = "" }
  for _, item in ipairs(c.items) do
    if item.pending then
      item.pending = nil
      tell(c, { kind = "item", op = "changed", item = item, replayed = p.replayed })
    end
  end
  add(c, {
    kind = "end",
    key = 0,
    turnId = p.turnId,
    stopReason = p.stopReason,
    cause = p.cause,
    hint = p.hint,
    returned = p.returned,
    usage = p.usage,
  }, p.replayed)
  tell(c, { kind = "turn", replayed = p.replayed })
end

--- A session that waits has an event for it in state/changed as well; the
--- question itself is a request and has no number.
---@param p drawbridge.ApprovalRequestParams
reduce["approval/request"] = function(c, p)
  for i, open in ipairs(c.approvals) do
    if open.approvalId == p.approvalId then
      table.remove(c.approvals, i)
      break
    end
  end
  table.insert(c.approvals, p)
  tell(c, { kind = "approvals", approval = p })
  local item = c.calls[p.callId]
  if item then
    item.changeId = p.change and p.change.changeId or item.changeId
    tell(c, { kind = "item", op = "changed", item = item })
  end
end

---@param p drawbridge.ApprovalResolved
reduce["approval/resolved"] = function(c, p)
  local gone
  for i, open in ipairs(c.approvals) do
    if open.approvalId == p.approvalId then
      gone = table.remove(c.approvals, i)
      break
    end
  end
  local item = c.calls[p.callId]
  if item then
    item.resolution = p
    tell(c, { kind = "item", op = "changed", item = item, replayed = p.replayed })
  end
  tell(c, { kind = "approvals", approval = gone, replayed = p.replayed })
end

---@param p drawbridge.ChangeUpdated
reduce["change/updated"] = function(c, p)
  if not c.changes[p.changeId] then
    table.insert(c.changeOrder, p.changeId)
  end
  c.changes[p.changeId] = p
  local item = c.calls[p.callId]
  if item then
    item.changeId = p.changeId
    tell(c, { kind = "item", op = "changed", item = item, replayed = p.replayed })
  end
  tell(c, { kind = "change", changeId = p.changeId, replayed = p.replayed })
end

---@param p drawbridge.TerminalOpened
reduce["terminal/opened"] = function(c, p)
  if not c.terminals[p.terminalId] then
    table.insert(c.terminalOrder, p.terminalId)
  end
  c.terminals[p.terminalId] = {
    terminalId = p.terminalId,
    sessionId = p.sessionId,
    callId = p.callId,
    title = p.title,
    cwd = p.cwd,
    cols = p.cols,
    rows = p.rows,
    replayed = p.replayed,
  }
  local item = c.calls[p.callId]
  if item then
    item.terminalId = p.terminalId
    tell(c, { kind = "item", op = "changed", item = item, replayed = p.replayed })
  end
  tell(c, { kind = "terminal", terminalId = p.terminalId, replayed = p.replayed })
end

---@param p drawbridge.TerminalClosed
reduce["terminal/closed"] = function(c, p)
  local terminal = c.terminals[p.terminalId]
  if not terminal then
    return
  end
  terminal.exit = p.exit
  terminal.tail = p.tail
  local item = c.calls[terminal.callId]
  if item then
    tell(c, { kind = "item", op = "changed", item = item, replayed = p.replayed })
  end
  tell(c, { kind = "terminal", terminalId = p.terminalId, replayed = p.replayed })
end

--- Applies one event or question. Methods it does not know change nothing.
---@param method string
---@param params table
function M.apply(method, params)
  local step = reduce[method]
  if not step or type(params) ~= "table" or type(params.sessionId) ~= "string" then
    return
  end
  local c = conversations[params.sessionId]
  if not c then
    c = empty(params.sessionId)
    conversations[params.sessionId] = c
  end
  if params.seq and params.seq > c.lastSeq then
    c.lastSeq = params.seq
  end
  step(c, params)
end

--- What the person said to a running turn and the model has yet to read.
---@param session_id string
---@param blocks drawbridge.Block[]
function M.steered(session_id, blocks)
  local c = conversations[session_id]
  if c then
    add(c, { kind = "steer", key = 0, turnId = c.turnId or "", blocks = blocks, pending = true })
  end
end

--- A line of the editor's own in the conversation.
---@param session_id string
---@param text string
function M.notice(session_id, text)
  local c = conversations[session_id]
  if c then
    add(c, { kind = "notice", key = 0, turnId = "", text = text })
  end
end

--- Takes the description that came as the answer to a request.
---@param session drawbridge.Session
function M.describe(session)
  local c = conversations[session.sessionId]
  if not c then
    c = empty(session.sessionId)
    conversations[session.sessionId] = c
  end
  c.session = session
  if session.state == "idle" then
    c.turnId = nil
  end
  tell(c, { kind = "session" })
end

--- Forgets what is known of a session, for its history to be sent anew.
---@param session_id string
function M.reset(session_id)
  local c = empty(session_id)
  c.session = conversations[session_id] and conversations[session_id].session
  conversations[session_id] = c
  tell(c, { kind = "reset" })
end

--- The bridge is gone: nothing runs any more and nothing waits for an answer.
function M.disconnected()
  for _, c in pairs(conversations) do
    local open = c.approvals
    c.approvals, c.turnId = {}, nil
    c.state = { state = "idle", since = now(), detail = "" }
    for _, terminal in pairs(c.terminals) do
      terminal.exit = terminal.exit or { signal = "SIGKILL" }
    end
    for _, approval in ipairs(open) do
      tell(c, { kind = "approvals", approval = approval })
    end
    for _, item in ipairs(c.items) do
      if item.kind == "call" and item.status == "running" then
        item.status = "aborted"
        tell(c, { kind = "item", op = "changed", item = item })
      end
    end
    tell(c, { kind = "state" })
    tell(c, { kind = "turn" })
  end
end

--- The turn that session/continue would take up, if there is one.
---@param c drawbridge.Conversation
---@return string? turn_id
function M.continuable(c)
  local last = c.items[#c.items]
  for i = #c.items, 1, -1 do
    if c.items[i].kind ~= "notice" then
      last = c.items[i]
      break
    end
  end
  if c.turnId or not last or last.kind ~= "end" or last.resumed then
    return nil
  end
  if last.stopReason == "endTurn" or last.stopReason == "refusal" then
    return nil
  end
  return last.turnId
end

---@param session_id string
---@return drawbridge.Conversation?
function M.get(session_id)
  return conversations[session_id]
end

--- The conversation that the views show.
---@return drawbridge.Conversation?
function M.current()
  return current and conversations[current] or nil
end

---@param session_id string?
function M.set_current(session_id)
  if session_id and not conversations[session_id] then
    conversations[session_id] = empty(session_id)
  end
  current = session_id
  tell(session_id and conversations[session_id] or empty(""), { kind = "current" })
end

---@param fn fun(session_id: string, what: drawbridge.What)
---@return fun() off
function M.on_change(fn)
  last_listener = last_listener + 1
  local id = last_listener
  listeners[id] = fn
  return function()
    listeners[id] = nil
  end
end

return M
