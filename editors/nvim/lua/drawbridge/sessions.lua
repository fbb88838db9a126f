--- What a person does with conversations: begin one, speak in it, stop, go on,
--- take an older one up.

local client = require("drawbridge.client")
local config = require("drawbridge.config")
local say = require("drawbridge.say")
local state = require("drawbridge.state")

local M = {}

--- The newest session of the folder, while none is open here.
---@type drawbridge.Session?
local offered
--- Set while a session is made, so that two prompts make one.
---@type (fun(err?: drawbridge.Error, id?: string))[]?
local making
--- Sessions that the running bridge has told all of: they need not be sent again,
--- and their open questions would not be.
---@type table<string, true>
local live = {}
--- Set while a history is sent: who speaks meanwhile waits for its end.
---@type (fun())[]?
local loading

---@param session drawbridge.Session
local function enter(session)
  live[session.sessionId] = true
  state.describe(session)
  client.set_session(session.sessionId)
end

--- Begins a conversation.
---@param cb? fun(err?: drawbridge.Error, id?: string)
---@param profile? drawbridge.Profile Which tools the model has; absent: as the options say.
function M.new(cb, profile)
  cb = cb or function(err)
    if err then
      say.failure(err)
    end
  end
  if making then
    table.insert(making, cb)
    return
  end
  making = { cb }
  local options = config.get()
  local params = {
    model = options.model,
    mode = options.mode,
    preset = options.preset,
    profile = profile or options.profile,
  }
  client.request("session/new", next(params) and params or vim.empty_dict(), function(err, result)
    if result then
      offered = nil
      enter(result.session)
    end
    local all = making or {}
    making = nil
    for _, fn in ipairs(all) do
      fn(err, result and result.session.sessionId)
    end
  end)
end

--- Calls back with the open session; makes one when there is none.
---@param cb fun(err?: drawbridge.Error, id?: string)
function M.ensure(cb)
  -- One that is being made is the one that is meant.
  if making or not client.session() then
    M.new(cb)
    return
  end
  -- A bridge that has to be started for this loads the session again.
  client.start(function(err)
    local id = client.session()
    if err then
      cb(err)
    elseif loading then
      table.insert(loading, function()
        M.ensure(cb)
      end)
    elseif id and not live[id] then
      -- The bridge is there since this very moment, and hears of the session in the next.
      vim.schedule(function()
        M.ensure(cb)
      end)
    else
      cb(nil, id)
    end
  end)
end

--- Opens a session of the folder; its history is sent again.
---@param id string
---@param cb? fun(err?: drawbridge.Error)
function M.load(id, cb)
  cb = cb or function(err)
    if err then
      say.failure(err)
    end
  end
  local before = client.session()
  client.start(function(failed)
    if failed then
      cb(failed)
      return
    elseif live[id] then
      client.set_session(id)
      cb()
      return
    end
    state.reset(id)
    client.set_session(id)
    loading = loading or {}
    client.request("session/load", { sessionId = id }, function(err, result)
      local waiting = loading or {}
      loading = nil
      vim.schedule(function()
        for _, fn in ipairs(waiting) do
          fn()
        end
      end)
      if err then
        if client.session() == id then
          client.set_session(before ~= id and before or nil)
        end
        cb(err)
        return
      end
      offered = nil
      live[id] = true
      state.describe(result.session)
      cb()
    end)
  end)
end

--- Has what a subagent of an earlier run did sent again, without going there. One that
--- the bridge has told of is known.
---@param id string
---@param cb fun(err?: drawbridge.Error)
function M.fetch(id, cb)
  local c = state.get(id)
  if live[id] or (c and #c.items > 0) then
    cb()
    return
  end
  client.start(function(failed)
    if failed then
      cb(failed)
      return
    end
    state.reset(id)
    client.request("session/load", { sessionId = id }, function(err, result)
      if result then
        live[id] = true
        state.describe(result.session)
      end
      cb(err)
    end)
  end)
end

---@param limit integer
---@param cb fun(err?: drawbridge.Error, sessions?: drawbridge.Session[])
function M.list(limit, cb)
  client.start(function(failed)
    if failed then
      cb(failed)
      return
    end
    client.request("session/list", { cwd = client.root(), limit = limit }, function(err, result)
      cb(err, result and result.sessions)
    end)
  end)
end

---@param session drawbridge.Session
---@return boolean
local function begun(session)
  return session.title ~= "" or session.turnId ~= nil
end

--- Looks for the newest conversation of the folder, for the empty view to offer.
---@param cb? fun(session?: drawbridge.Session)
function M.find_last(cb)
  M.list(20, function(_, list)
    for _, session in ipairs(list or {}) do
      if begun(session) then
        offered = session
        break
      end
    end
    if cb then
      cb(offered)
    end
  end)
end

---@return drawbridge.Session?
function M.offered()
  return offered
end

---@param ms integer since 1970
---@return string
function M.age(ms)
  local s = os.time() - math.floor(ms / 1000)
  if s < 60 then
    return "just now"
  elseif s < 3600 then
    return ("%d min ago"):format(s / 60)
  elseif s < 86400 then
    return ("%d h ago"):format(s / 3600)
  end
  return tostring(os.date("%Y-%m-%d", math.floor(ms / 1000)))
end

---@param session drawbridge.Session
---@return string
local function label(session)
  local title = session.title ~= "" and session.title or "(nothing asked yet)"
  local parts = { title, M.age(session.updatedAt) }
  if session.sessionId == client.session() then
    table.insert(parts, "open here")
  elseif session.state ~= "idle" then
    table.insert(parts, "running")
  elseif session.turnId then
    table.insert(parts, "can be continued")
  end
  return table.concat(parts, " · ")
end

--- Lets the person choose a session of the folder.
function M.pick()
  M.list(50, function(err, list)
    if err then
      say.failure(err)
      return
    end
    local sessions = vim.tbl_filter(begun, list or {})
    if #sessions == 0 then
      say.info("no conversation in this folder yet; :Drawbridge prompt begins one")
      return
    end
    vim.ui.select(sessions, { prompt = "Conversation", format_item = label, kind = "drawbridge.session" }, function(choice)
      if choice and choice.sessionId ~= client.session() then
        M.load(choice.sessionId)
      end
    end)
  end)
end

--- Says something: starts a turn, or adds to the one that runs.
---@param blocks drawbridge.Block[]
---@param opts? { replaces?: string }
---@param cb? fun(err?: drawbridge.Error)
function M.say(blocks, opts, cb)
  opts = opts or {}
  cb = cb or function(err)
    if err then
      say.failure(err)
    end
  end
  M.ensure(function(err, id)
    if err or not id then
      cb(err)
      return
    end
    local c = state.get(id)
    if c and c.turnId then
      M.steer(id, c.turnId, blocks, cb)
      return
    end
    local params = { sessionId = id, content = blocks, replaces = opts.replaces }
    local before = c and c.lastPrompt
    client.request("session/prompt", params, function(e)
      local now = state.get(id)
      if e and e.kind == "turnRunning" then
        M.steer(id, nil, blocks, cb)
      elseif e and now and now.lastPrompt ~= before then
        -- The turn began, and how it ends is told by its events.
        cb()
      else
        cb(e)
      end
    end)
  end)
end

---@param id string
---@param turn_id string?
---@param blocks drawbridge.Block[]
---@param cb fun(err?: drawbridge.Error)
function M.steer(id, turn_id, blocks, cb)
  local params = { sessionId = id, expectedTurnId = turn_id, content = blocks }
  client.request("session/steer", params, function(err)
    if err and err.kind == "noTurn" then
      -- It ended in between: then this is the next prompt.
      client.request("session/prompt", { sessionId = id, content = blocks }, cb)
    elseif err then
      cb(err)
    else
      state.steered(id, blocks)
      cb()
    end
  end)
end

--- Stops the running turn.
function M.stop()
  local c = state.current()
  if not c or not c.turnId then
    say.info("nothing is running")
    return
  end
  client.request("session/cancel", { sessionId = c.sessionId, turnId = c.turnId }, function(err)
    if err then
      say.failure(err)
    end
  end)
end

---@param id string
local function continue(id)
  client.request("session/continue", { sessionId = id }, function(err)
    if err then
      say.failure(err)
    end
  end)
end

--- Opens the folder's newest conversation.
function M.resume()
  M.find_last(function(session)
    if not session then
      say.info("there is no earlier conversation in this folder")
    elseif session.sessionId ~= client.session() then
      M.load(session.sessionId)
    end
  end)
end

--- Takes the last turn up again; without an open session that of the folder's
--- newest one.
function M.continue()
  local id = client.session()
  if id then
    M.ensure(function(err)
      if err then
        say.failure(err)
      else
        continue(id)
      end
    end)
    return
  end
  M.find_last(function(session)
    if not session then
      say.info("there is no conversation to continue in this folder")
      return
    end
    M.load(session.sessionId, function(err)
      if err then
        say.failure(err)
      elseif session.turnId then
        continue(session.sessionId)
      end
    end)
  end)
end

--- Changes settings of the open session.
---@param params table
function M.configure(params)
  M.ensure(function(err, id)
    if err or not id then
      say.failure(err or { message = "no session" })
      return
    end
    params.sessionId = id
    client.request("session/configure", params, function(e, result)
      if e then
        say.failure(e)
      elseif result then
        state.describe(result.session)
      end
    end)
  end)
end

client.on("drawbridge/exited", function()
  live = {}
end)

-- A bridge that was started anew knows nothing of the open session.
client.on("drawbridge/ready", function()
  local id = client.session()
  if id then
    M.load(id, function(err)
      if err then
        say.failure(err)
      end
    end)
  end
end)

return M
