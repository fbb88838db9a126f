--- The conversations of this editor, made from the events of their sessions and
--- from nothing else. It knows no buffer and no window: views listen by
--- `on_change` and draw what they are told.

local reduce = require("drawbridge.reduce")
local running = require("drawbridge.running")

local M = {}

---@type table<string, drawbridge.Conversation>
local conversations = {}
---@type string?
local current
---@type table<integer, fun(session_id: string, what: drawbridge.What)>
local listeners = {}
local last_listener = 0

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

---@param session_id string
---@return drawbridge.Conversation
local function known(session_id)
  local c = conversations[session_id] or reduce.empty(session_id)
  conversations[session_id] = c
  return c
end

--- Applies one event or question. Methods it does not know change nothing.
---@param method string
---@param params table
function M.apply(method, params)
  if reduce.knows(method) and type(params) == "table" and type(params.sessionId) == "string" then
    reduce.apply(known(params.sessionId), method, params, tell)
  end
end

--- What the person said to a running turn and the model has yet to read.
---@param session_id string
---@param blocks drawbridge.Block[]
function M.steered(session_id, blocks)
  local c = conversations[session_id]
  if c then
    reduce.add(c, { kind = "steer", key = 0, turnId = c.turnId or "", blocks = blocks, pending = true }, tell)
  end
end

--- A line of the editor's own in the conversation.
---@param session_id string
---@param text string
function M.notice(session_id, text)
  local c = conversations[session_id]
  if c then
    reduce.add(c, { kind = "notice", key = 0, turnId = "", text = text }, tell)
  end
end

--- Takes the description that came as the answer to a request.
---@param session drawbridge.Session
function M.describe(session)
  local c = known(session.sessionId)
  c.session, c.origin = session, session.origin or c.origin
  if session.state == "idle" then
    c.turnId = nil
  end
  tell(c, { kind = "session" })
end

--- Forgets what is known of a session, for its history to be sent anew.
---@param session_id string
function M.reset(session_id)
  local c = reduce.empty(session_id)
  local before = conversations[session_id]
  if before then
    c.session, c.origin = before.session, before.origin
  end
  conversations[session_id] = c
  tell(c, { kind = "reset" })
end

--- The bridge is gone.
function M.disconnected()
  for _, c in pairs(conversations) do
    reduce.cut_off(c, tell)
  end
end

--- A conversation and those of its subagents, oldest first.
---@param session_id? string Absent: the current one.
---@return drawbridge.Conversation[]
function M.family(session_id)
  local c = conversations[session_id or current or ""]
  local all, seen = { c }, { [session_id or current or ""] = true }
  for _, id in ipairs(c and c.subagentOrder or {}) do
    local own = c and conversations[c.subagents[id].sessionId]
    if own and not seen[own.sessionId] then
      seen[own.sessionId] = true
      table.insert(all, own)
    end
  end
  for id, other in vim.spairs(conversations) do
    if c and not seen[id] and other.origin and other.origin.sessionId == c.sessionId then
      table.insert(all, other)
    end
  end
  return all
end

--- The questions that the current conversation asks, its subagents' among them.
---@return drawbridge.ApprovalRequestParams[]
function M.asked()
  local all = {}
  for _, c in ipairs(M.family()) do
    vim.list_extend(all, c.approvals)
  end
  return all
end

--- The subagents of all sessions that work on though their calls have ended.
---@return drawbridge.Subagent[]
function M.working()
  local all = {}
  for _, c in pairs(conversations) do
    for _, subagent in pairs(c.subagents) do
      local works = subagent.state == "running" or subagent.state == "waiting"
      if works and subagent.background then
        table.insert(all, subagent)
      end
    end
  end
  return all
end

--- Open questions of all sessions, those of the current one first.
---@return drawbridge.ApprovalRequestParams[]
function M.questions()
  local all = {}
  for id, c in pairs(conversations) do
    for i, approval in ipairs(c.approvals) do
      table.insert(all, id == current and i or #all + 1, approval)
    end
  end
  return all
end

--- The commands of all sessions that run without a call that waits for them.
---@return drawbridge.TerminalInfo[]
function M.alone()
  local all = {}
  for _, c in pairs(conversations) do
    vim.list_extend(all, vim.tbl_filter(running.alone, vim.tbl_values(c.terminals)))
  end
  return all
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
  current = session_id
  tell(known(session_id or ""), { kind = "current" })
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
