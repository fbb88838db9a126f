--- What each event does to a conversation. Nothing here remembers anything: all
--- there is stands in the conversation that is handed in.

local M = {}

---@class drawbridge.Item One thing that a conversation shows.
---@field kind "prompt"|"steer"|"message"|"thought"|"call"|"end"|"continued"|"notice"|"ended"|"remarks"
---@field key integer Unique in its conversation, and stays.
---@field turnId string The turn it belongs to; "" for a notice.
---@field replaced? boolean Its turn was asked anew; the model no longer sees it.
---@field pieces? string[] message, thought: the text, as it came; M.text joins it.
---@field remarks? string[] remarks: what the model learned of a person's doings.
---@field text? string notice: the text; call: what the model reads of it.
---@field blocks? drawbridge.Block[] prompt, steer: what the person said.
---@field pending? boolean steer: the model has not read it yet.
---@field callId? string call
---@field name? string call: the tool.
---@field title? string call: one line.
---@field access? drawbridge.Access call
---@field args? table<string, any> call
---@field changed? boolean call: a person changed the command; args are what was asked for.
---@field status? "running"|drawbridge.CallStatus call
---@field resolution? drawbridge.ApprovalResolved call: how its newest question ended.
---@field decision? string call: which rule or remembered yes decided, where nobody was asked.
---@field changeId? string call: the change it proposed.
---@field changeIds? string[] call: what its command changed.
---@field terminalId? string call
---@field processId? string call: its command runs on under this name.
---@field pictures? drawbridge.ShownPicture[] call: what the model was given to look at.
---@field notice? drawbridge.Notice ended: a command of the background that ended.
---@field startedAt? integer call, thought: by this side's clock in ms; absent for history.
---@field durationMs? integer call, thought; without the time that people took.
---@field stopReason? drawbridge.StopReason end
---@field cause? string end
---@field hint? string end
---@field returned? drawbridge.Block[] end: steering text that the model never read.
---@field usage? drawbridge.Usage end
---@field resumed? boolean end: another turn took it up.

---@class drawbridge.ShownPicture
---@field mimeType string
---@field size integer In bytes.
---@field data? string In base64; absent where newer ones took the room.

---@class drawbridge.TerminalInfo
---@field terminalId string
---@field sessionId string
---@field callId string
---@field title string
---@field cwd string
---@field cols integer
---@field rows integer
---@field pipes? boolean
---@field background? boolean Its call has ended.
---@field waiting? boolean It waits for typing.
---@field survivors? drawbridge.Survivor[] What its leader left behind.
---@field closed? boolean Nothing is left of it.
---@field exit? drawbridge.Exit Absent while its leader runs.
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
---@field origin? drawbridge.Origin It is a subagent's: whose.
---@field subagents table<string, drawbridge.Subagent> By id.
---@field subagentOrder string[] Oldest first.
---@field items drawbridge.Item[] Oldest first.
---@field calls table<string, drawbridge.Item> The newest call of each id.
---@field state drawbridge.StateNow
---@field turnId? string The turn that runs.
---@field lastTurn? string The newest turn, running or not.
---@field lastPrompt? string The newest turn that began with a prompt.
---@field approvals drawbridge.ApprovalRequestParams[] Open questions, in the order they were asked.
---@field changes table<string, drawbridge.ChangeUpdated>
---@field changeOrder string[] Ids of changes, oldest first.
---@field stood table<string, table<string, true>> By change, the hunks that were applied at one time.
---@field terminals table<string, drawbridge.TerminalInfo>
---@field terminalOrder string[] Ids of terminals, oldest first.
---@field total? drawbridge.Usage
---@field contextTokens? integer
---@field contextLimit? integer
---@field lastSeq integer

---@class drawbridge.What What became different in a conversation.
---@field kind "reset"|"item"|"state"|"session"|"approvals"|"change"|"terminal"|"usage"|"turn"|"current"|"subagent"
---@field op? "added"|"text"|"changed" item
---@field item? drawbridge.Item item
---@field text? string item, op text: what was appended to its text.
---@field approval? drawbridge.ApprovalRequestParams approvals: the one that came or went.
---@field changeId? string change
---@field terminalId? string terminal
---@field subagentId? string subagent
---@field replayed? boolean It is history.

---@alias drawbridge.Tell fun(c: drawbridge.Conversation, what: drawbridge.What)

local last_key = 0

---@return integer ms
local function now()
  return math.floor(vim.uv.hrtime() / 1e6)
end

---@param c drawbridge.Conversation
---@param tell drawbridge.Tell
---@param item drawbridge.Item
---@param replayed? boolean
---@return drawbridge.Item
local function add(c, tell, item, replayed)
  last_key = last_key + 1
  item.key = last_key
  table.insert(c.items, item)
  tell(c, { kind = "item", op = "added", item = item, replayed = replayed })
  return item
end

--- Thinking has no event that ends it: whatever comes next does.
---@param c drawbridge.Conversation
---@param tell drawbridge.Tell
---@param except? string A kind that does not end it.
local function end_thought(c, tell, except)
  local last = c.items[#c.items]
  if last and last.kind == "thought" and last.kind ~= except and last.startedAt and not last.durationMs then
    last.durationMs = now() - last.startedAt
    tell(c, { kind = "item", op = "changed", item = last })
  end
end

---@param c drawbridge.Conversation
---@param tell drawbridge.Tell
---@param kind "message"|"thought"
---@param p drawbridge.MessageChunk|drawbridge.ThoughtChunk
local function chunk(c, tell, kind, p)
  end_thought(c, tell, kind)
  local last = c.items[#c.items]
  if last and last.kind == kind and last.turnId == (c.lastTurn or "") then
    table.insert(last.pieces, p.text)
    tell(c, { kind = "item", op = "text", item = last, text = p.text, replayed = p.replayed })
    return
  end
  add(c, tell, {
    kind = kind,
    key = 0,
    turnId = c.lastTurn or "",
    pieces = { p.text },
    startedAt = kind == "thought" and not p.replayed and now() or nil,
  }, p.replayed)
end

---@type table<string, fun(c: drawbridge.Conversation, p: table, tell: drawbridge.Tell)>
local steps = {}

---@param p drawbridge.SessionUpdated
steps["session/updated"] = function(c, p, tell)
  c.session = p.session
  tell(c, { kind = "session", replayed = p.replayed })
end

--- Marks a turn and all that came after it: only later turns can have taken it up.
---@param c drawbridge.Conversation
---@param tell drawbridge.Tell
---@param turn_id string
local function replace(c, tell, turn_id)
  local found = false
  for _, item in ipairs(c.items) do
    found = found or item.turnId == turn_id
    item.replaced = item.replaced or found
  end
  tell(c, { kind = "reset" })
end

---@param p drawbridge.TurnStarted
steps["turn/started"] = function(c, p, tell)
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
    replace(c, tell, p.replaces)
  end
  if p.continues and #p.prompt == 0 then
    add(c, tell, { kind = "continued", key = 0, turnId = p.turnId }, p.replayed)
  elseif not p.background then
    c.lastPrompt = p.turnId
    add(c, tell, { kind = "prompt", key = 0, turnId = p.turnId, blocks = p.prompt }, p.replayed)
  end
  tell(c, { kind = "turn", replayed = p.replayed })
end

---@param p drawbridge.TurnSteered
steps["turn/steered"] = function(c, p, tell)
  end_thought(c, tell)
  local blocks = p.content
  for _, item in ipairs(c.items) do
    if item.kind == "steer" and item.pending and vim.deep_equal(item.blocks, blocks) then
      item.pending = nil
      tell(c, { kind = "item", op = "changed", item = item, replayed = p.replayed })
      return
    end
  end
  add(c, tell, { kind = "steer", key = 0, turnId = c.lastTurn or "", blocks = blocks }, p.replayed)
end

---@param p drawbridge.TurnNotified
steps["turn/notified"] = function(c, p, tell)
  end_thought(c, tell)
  for _, notice in ipairs(p.notices) do
    add(c, tell, { kind = "ended", key = 0, turnId = p.turnId, notice = notice }, p.replayed)
  end
  if p.remarks and #p.remarks > 0 then
    add(c, tell, { kind = "remarks", key = 0, turnId = p.turnId, remarks = p.remarks }, p.replayed)
  end
end

---@param p drawbridge.StateChanged
steps["state/changed"] = function(c, p, tell)
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

steps["message/chunk"] = function(c, p, tell)
  chunk(c, tell, "message", p)
end

steps["thought/chunk"] = function(c, p, tell)
  chunk(c, tell, "thought", p)
end

---@param p drawbridge.ToolCallStarted
steps["toolCall/started"] = function(c, p, tell)
  end_thought(c, tell)
  c.calls[p.callId] = add(c, tell, {
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
steps["toolCall/updated"] = function(c, p, tell)
  local item = c.calls[p.callId]
  if not item or item.status ~= "running" then
    return
  end
  if p.title and p.title ~= item.title then
    item.title = p.title
    item.changed = item.access == "execute" or item.changed
    tell(c, { kind = "item", op = "changed", item = item, replayed = p.replayed })
  end
  if p.text and p.text ~= "" then
    item.text = item.text .. p.text
    tell(c, { kind = "item", op = "text", item = item, text = p.text, replayed = p.replayed })
  end
end

--- The most of pictures that a conversation keeps to be opened, as they came.
local most_pictures = 64 * 1024 * 1024

--- Takes the pictures of a call in; the oldest that there is no room for are only
--- named from then on.
---@param c drawbridge.Conversation
---@param item drawbridge.Item
---@param images drawbridge.Picture[]
local function take_pictures(c, item, images)
  item.pictures = vim.tbl_map(function(image)
    local padding = #image.data:match("=*$")
    return { mimeType = image.mimeType, data = image.data, size = math.floor(#image.data / 4) * 3 - padding }
  end, images)
  local kept = 0
  for i = #c.items, 1, -1 do
    for _, picture in ipairs(c.items[i].pictures or {}) do
      kept = kept + #(picture.data or "")
      picture.data = kept <= most_pictures and picture.data or nil
    end
  end
end

---@param p drawbridge.ToolCallCompleted
steps["toolCall/completed"] = function(c, p, tell)
  local item = c.calls[p.callId]
  if not item then
    return
  end
  item.status = p.status
  item.text = p.text
  item.changeId = p.changeId or item.changeId
  item.terminalId = p.terminalId or item.terminalId
  item.processId = p.processId
  item.decision = p.decision
  item.durationMs = math.max(0, p.durationMs - (p.waitedMs or 0))
  if p.images and #p.images > 0 then
    take_pictures(c, item, p.images)
  end
  tell(c, { kind = "item", op = "changed", item = item, replayed = p.replayed })
end

---@param p drawbridge.UsageUpdated
steps["usage/updated"] = function(c, p, tell)
  c.total = p.total
  c.contextTokens = p.contextTokens
  c.contextLimit = p.contextLimit
  tell(c, { kind = "usage", replayed = p.replayed })
end

---@param p drawbridge.TurnCompleted
steps["turn/completed"] = function(c, p, tell)
  end_thought(c, tell)
  c.turnId = nil
  c.state = { state = "idle", since = now(), detail = "" }
  for _, item in ipairs(c.items) do
    if item.pending then
      item.pending = nil
      tell(c, { kind = "item", op = "changed", item = item, replayed = p.replayed })
    end
  end
  add(c, tell, {
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
steps["approval/request"] = function(c, p, tell)
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
steps["approval/resolved"] = function(c, p, tell)
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

--- That a question still waits changes nothing but what the bars say of it.
steps["approval/reminder"] = function(c, p, tell)
  tell(c, { kind = "approvals", replayed = p.replayed })
end

---@param p drawbridge.ChangeUpdated
steps["change/updated"] = function(c, p, tell)
  if not c.changes[p.changeId] then
    table.insert(c.changeOrder, p.changeId)
  end
  c.changes[p.changeId] = p
  if p.state == "applied" or p.state == "partly" then
    local stood = c.stood[p.changeId] or {}
    c.stood[p.changeId] = stood
    for _, hunk in ipairs(p.hunks) do
      stood[hunk.hunkId] = hunk.state ~= "rejected" or stood[hunk.hunkId]
    end
  end
  local item = c.calls[p.callId]
  if item then
    if p.byCommand then
      item.changeIds = item.changeIds or {}
      if not vim.list_contains(item.changeIds, p.changeId) then
        table.insert(item.changeIds, p.changeId)
      end
    else
      item.changeId = p.changeId
    end
    tell(c, { kind = "item", op = "changed", item = item, replayed = p.replayed })
  end
  tell(c, { kind = "change", changeId = p.changeId, replayed = p.replayed })
end

---@param p drawbridge.TerminalOpened
steps["terminal/opened"] = function(c, p, tell)
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
    pipes = p.pipes,
    replayed = p.replayed,
  }
  local item = c.calls[p.callId]
  if item then
    item.terminalId = p.terminalId
    tell(c, { kind = "item", op = "changed", item = item, replayed = p.replayed })
  end
  tell(c, { kind = "terminal", terminalId = p.terminalId, replayed = p.replayed })
end

--- Says that the call of something is another than before.
---@param c drawbridge.Conversation
---@param tell drawbridge.Tell
---@param call_id string
---@param replayed? boolean
local function changed_call(c, tell, call_id, replayed)
  local item = c.calls[call_id]
  if item then
    tell(c, { kind = "item", op = "changed", item = item, replayed = replayed })
  end
end

--- Says that a command is another than before, and so is its call.
---@param c drawbridge.Conversation
---@param tell drawbridge.Tell
---@param terminal drawbridge.TerminalInfo
---@param replayed? boolean
local function changed_terminal(c, tell, terminal, replayed)
  changed_call(c, tell, terminal.callId, replayed)
  tell(c, { kind = "terminal", terminalId = terminal.terminalId, replayed = replayed })
end

---@param p drawbridge.TerminalUpdated
steps["terminal/updated"] = function(c, p, tell)
  local terminal = c.terminals[p.terminalId]
  if terminal and not terminal.closed then
    terminal.background, terminal.waiting, terminal.survivors = p.background, p.waiting, p.survivors
    terminal.exit = p.exit
    changed_terminal(c, tell, terminal, p.replayed)
  end
end

---@param p drawbridge.TerminalClosed
steps["terminal/closed"] = function(c, p, tell)
  local terminal = c.terminals[p.terminalId]
  if terminal then
    terminal.closed, terminal.waiting, terminal.survivors = true, nil, nil
    terminal.exit, terminal.tail = p.exit, p.tail
    changed_terminal(c, tell, terminal, p.replayed)
  end
end

--- Says that a subagent does something else, and so does the call that started it.
---@param c drawbridge.Conversation
---@param tell drawbridge.Tell
---@param subagent drawbridge.Subagent
---@param replayed? boolean
local function changed_subagent(c, tell, subagent, replayed)
  changed_call(c, tell, subagent.callId, replayed)
  tell(c, { kind = "subagent", subagentId = subagent.subagentId, replayed = replayed })
end

---@param p drawbridge.SubagentUpdated
steps["subagent/updated"] = function(c, p, tell)
  local id = p.subagent.subagentId
  if not c.subagents[id] then
    table.insert(c.subagentOrder, id)
  end
  c.subagents[id] = p.subagent
  changed_subagent(c, tell, p.subagent, p.replayed)
end

--- The text of a message or a thought. It is joined when it is wanted: adding
--- each word to a long string would copy all that came before it.
---@param item drawbridge.Item
---@return string
function M.text(item)
  if #item.pieces > 1 then
    item.pieces = { table.concat(item.pieces) }
  end
  return item.pieces[1] or ""
end

---@param session_id string
---@return drawbridge.Conversation
function M.empty(session_id)
  return {
    sessionId = session_id,
    subagents = {},
    subagentOrder = {},
    items = {},
    calls = {},
    state = { state = "idle", since = now(), detail = "" },
    approvals = {},
    changes = {},
    changeOrder = {},
    stood = {},
    terminals = {},
    terminalOrder = {},
    lastSeq = 0,
  }
end

--- Applies one event or question. Methods it does not know change nothing.
---@param c drawbridge.Conversation
---@param method string
---@param params table
---@param tell drawbridge.Tell
function M.apply(c, method, params, tell)
  if params.seq and params.seq > c.lastSeq then
    c.lastSeq = params.seq
  end
  c.origin = params.origin or c.origin
  steps[method](c, params, tell)
end

---@param method string
---@return boolean
function M.knows(method)
  return steps[method] ~= nil
end

--- Adds an item of the editor's own.
---@param c drawbridge.Conversation
---@param item drawbridge.Item
---@param tell drawbridge.Tell
function M.add(c, item, tell)
  add(c, tell, item)
end

--- What the loss of the bridge makes of a conversation: nothing runs any more and
--- nothing waits for an answer.
---@param c drawbridge.Conversation
---@param tell drawbridge.Tell
function M.cut_off(c, tell)
  local open = c.approvals
  c.approvals, c.turnId = {}, nil
  c.state = { state = "idle", since = now(), detail = "" }
  for _, terminal in pairs(c.terminals) do
    terminal.exit = terminal.exit or { signal = "SIGKILL" }
    terminal.closed, terminal.waiting, terminal.survivors = true, nil, nil
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
  for _, subagent in pairs(c.subagents) do
    if subagent.state ~= "ended" then
      subagent.state, subagent.detail, subagent.questions = "ended", "the bridge ended", nil
      changed_subagent(c, tell, subagent)
    end
  end
  tell(c, { kind = "state" })
  tell(c, { kind = "turn" })
end

return M
