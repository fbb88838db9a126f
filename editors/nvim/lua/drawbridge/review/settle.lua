-- Settles hunks of applied changes with the bridge, which remembers what was kept.
-- Of one change there is one request at a time: each names the base that the one
-- before it left. What is decided meanwhile goes with the next.

local buffers = require("drawbridge.review.buffers")
local changes = require("drawbridge.review.changes")
local client = require("drawbridge.client")
local say = require("drawbridge.say")

local M = {}

---@class (exact) drawbridge.Wish What is still to be asked of the bridge about a change.
---@field decisions table<string, drawbridge.Decision> By the id of the hunk.
---@field comment? string

---@type table<string, drawbridge.Wish>
local wishes = {}
---@type table<string, true>
local asking = {}
---@type table<string, fun()[]> What waits until nothing is under way about a change.
local waiting = {}

---@param key string
---@return drawbridge.Review?
local function stands(key)
  return changes.get(key) or changes.settled(key)
end

---@param err drawbridge.Error
---@return string
local function words(err)
  return err.message .. (err.hint and err.hint ~= "" and " (" .. err.hint .. ")" or "")
end

-- Hunks by their places among all of the change, as their headers count.
---@param review drawbridge.Review
---@param ids string[]
---@return string
local function numbers(review, ids)
  local found = {}
  for _, hunk in ipairs(review.hunks) do
    if vim.list_contains(ids, hunk.hunkId) then
      found[#found + 1] = tostring(hunk.number)
    end
  end
  return ("hunk%s %s of %d"):format(#found == 1 and "" or "s", table.concat(found, ", "), review.total)
end

---@param review drawbridge.Review
---@param err? drawbridge.Error
---@param stale string[]
local function complain(review, err, stale)
  local path = review.path
  if err and err.kind == "stale" then
    say.warn(("%s was changed meanwhile; look again and decide anew"):format(buffers.short(path)))
  elseif err then
    say.error(("%s was not settled: %s"):format(buffers.short(path), words(err)))
  elseif #stale > 0 then
    say.warn(
      ("%s in %s stays: the lines have changed since; edit them by hand or keep them"):format(
        numbers(review, stale),
        buffers.short(path)
      )
    )
  end
end

-- What a person is shown after an answer: nothing is under way any more, what could
-- not be settled says so, and what was taken up again to be looked at is done with.
---@param review drawbridge.Review
---@param wish drawbridge.Wish
---@param err? drawbridge.Error
---@param stale string[]
local function answered(review, wish, err, stale)
  local rest = {}
  for _, hunk in ipairs(review.hunks) do
    local decision = wish.decisions[hunk.hunkId]
    hunk.stale = vim.list_contains(stale, hunk.hunkId) or (not decision and hunk.stale) or nil
    hunk.decision = not decision and hunk.decision or nil
    if err or decision ~= "accepted" or hunk.stale then
      rest[#rest + 1] = hunk
    end
  end
  if review.reopened then
    review.hunks = rest
  end
  if #review.hunks == 0 then
    changes.drop(review, "kept")
  else
    changes.changed(review)
  end
end

---@param review drawbridge.Review
---@param wish drawbridge.Wish
---@return string[] accept, string[] reject
local function lists(review, wish)
  local accept, reject = {}, {}
  for _, hunk in ipairs(review.hunks) do
    local decision = wish.decisions[hunk.hunkId]
    if decision then
      table.insert(decision == "accepted" and accept or reject, hunk.hunkId)
    end
  end
  return accept, reject
end

---@param key string
local function send(key)
  local wish, review = wishes[key], stands(key)
  wishes[key] = nil
  if not wish or not review then
    return
  end
  local accept, reject = lists(review, wish)
  if #accept + #reject == 0 then
    return
  end
  asking[key] = true
  local save = require("drawbridge.documents").saving()
  client.request("change/resolve", {
    sessionId = review.sessionId,
    changeId = review.changeId,
    base = review.base,
    accept = #accept > 0 and accept or nil,
    reject = #reject > 0 and reject or nil,
    comment = wish.comment,
  }, function(err, result)
    asking[key] = nil
    save()
    local stale = result and result.stale or {}
    complain(review, err, stale)
    local now = changes.get(key)
    if now then
      answered(now, wish, err, stale)
    end
    send(key)
    local quiet = not asking[key] and waiting[key] or {}
    if not asking[key] then
      waiting[key] = nil
    end
    for _, go in ipairs(quiet) do
      go()
    end
  end)
end

--- Whether the bridge has yet to answer what was decided about a change, or about any.
---@param key? string
---@return boolean
function M.busy(key)
  return next(asking) ~= nil and (not key or asking[key] ~= nil)
end

--- Goes on when the bridge has answered all that was decided about a change; at
--- once where nothing is under way.
---@param key string
---@param go fun()
function M.when_quiet(key, go)
  if not asking[key] then
    go()
    return
  end
  waiting[key] = waiting[key] or {}
  table.insert(waiting[key], go)
end

--- Keeps hunks of an applied change, or takes them back.
---@param review drawbridge.Review
---@param hunks drawbridge.ReviewHunk[]
---@param decision drawbridge.Decision
---@param comment? string A word to the model.
function M.hunks(review, hunks, decision, comment)
  local wish = wishes[review.key] or { decisions = {} }
  wishes[review.key] = wish
  wish.comment = wish.comment and comment and wish.comment .. "; " .. comment or comment or wish.comment
  for _, hunk in ipairs(hunks) do
    wish.decisions[hunk.hunkId] = decision
    hunk.decision = decision
  end
  if changes.get(review.key) == review then
    changes.changed(review)
  end
  if not asking[review.key] then
    send(review.key)
  end
end

---@param session_id string
---@param settled drawbridge.ChangeSettled[]
---@return string[]
local function failures(session_id, settled)
  local list = {}
  for _, one in ipairs(settled) do
    local event = changes.known(one.changeId, session_id)
    local name = event and buffers.short(vim.uri_to_fname(event.uri)) or one.changeId
    if one.error then
      list[#list + 1] = name .. ": " .. one.error
    elseif #one.stale > 0 then
      list[#list + 1] = ("%s: %d hunk%s changed since"):format(name, #one.stale, #one.stale == 1 and "" or "s")
    end
  end
  return list
end

--- Rejects all that is not settled of a turn or of a session; the bridge does it in
--- the right order, also where one change lies on another.
---@param session_id string
---@param turn_id? string Absent: of the session.
---@param comment? string A word to the model.
function M.reject_all(session_id, turn_id, comment)
  local save = require("drawbridge.documents").saving()
  client.request("change/resolveAll", {
    sessionId = session_id,
    turnId = turn_id,
    accept = false,
    comment = comment,
  }, function(err, result)
    save()
    if err then
      say.error("nothing was rejected: " .. words(err))
      return
    end
    local failed = failures(session_id, result.changes)
    if #failed > 0 then
      say.warn("not all was taken back: " .. table.concat(failed, "; "))
    end
  end)
end

return M
