-- The changes a person can still decide about: proposals that wait for an
-- answer, and changes that were applied without one. It knows no buffer and no
-- window; views ask it and are told when something became different.
--
-- Invariant: a decision only ever moves here by an act of a person. What the
-- bridge says removes a review or replaces it, it never decides a hunk.

local client = require("drawbridge.client")
local say = require("drawbridge.say")

---@alias drawbridge.Decision "accepted"|"rejected"

---@class (exact) drawbridge.ReviewHunk : drawbridge.Hunk
---@field number integer Its place among all hunks of the change, from 1.
---@field decision? drawbridge.Decision Absent: a person has not decided.
---@field comment? string What was said with that, for the model.
---@field lost? boolean Its lines are not in the buffer any more.
---@field undone? boolean The same, and nothing of it is left where it was.
---@field stale? boolean It could not be taken back: its lines have changed since.

---@class (exact) drawbridge.Review
---@field key string Unique among all sessions.
---@field sessionId string
---@field changeId string
---@field turnId? string The turn it belongs to.
---@field approvalId? string The question that waits; absent: the change is applied.
---@field uri string
---@field path string
---@field kind drawbridge.ChangeKind
---@field open boolean The editor holds the document the change is for.
---@field base string
---@field hunks drawbridge.ReviewHunk[]
---@field total integer How many hunks the change has, with those that are settled.
---@field since number When it came to be shown, in ms.
---@field busy? boolean A request about it is under way.
---@field closing? string Why it is gone; set once, when it leaves the list.
---@field outcome? drawbridge.Resolution How its question ended.
---@field superseded? boolean The same change is asked about anew.
---@field reopened? boolean A person wants to decide again about what was kept.
---@field settled? boolean It waits for nobody and is on no list; its hunks can be taken back.

local M = {}

---@type table<string, drawbridge.Review>
local reviews = {}
---@type fun(review: drawbridge.Review, gone: boolean)[]
local watchers = {}
-- How each change stands that the bridge told of, also those not to review.
---@type table<string, drawbridge.ChangeUpdated>
local known = {}

---@param session_id string
---@param change_id string
---@return string
function M.key(session_id, change_id)
  return session_id .. "/" .. change_id
end

---@param fn fun(review: drawbridge.Review, gone: boolean)
function M.watch(fn)
  watchers[#watchers + 1] = fn
end

---@param review drawbridge.Review
---@param gone? boolean
function M.changed(review, gone)
  for _, fn in ipairs(watchers) do
    local ok, err = pcall(fn, review, gone or false)
    if not ok then
      say.error("a view of " .. review.path .. " failed: " .. tostring(err))
    end
  end
end

---@param a drawbridge.Review
---@param b drawbridge.Review
local function before(a, b)
  if a.path ~= b.path then
    return a.path < b.path
  end
  return #a.changeId ~= #b.changeId and #a.changeId < #b.changeId or a.changeId < b.changeId
end

--- Every review, by file and then by age.
---@return drawbridge.Review[]
function M.all()
  local list = vim.tbl_values(reviews)
  table.sort(list, before)
  return list
end

---@param key string
---@return drawbridge.Review?
function M.get(key)
  return reviews[key]
end

--- Finds a review by the id of its change, in the session at hand first.
---@param change_id string
---@return drawbridge.Review?
function M.find(change_id)
  local here = client.session()
  if here and reviews[M.key(here, change_id)] then
    return reviews[M.key(here, change_id)]
  end
  for _, review in ipairs(M.all()) do
    if review.changeId == change_id then
      return review
    end
  end
end

--- How a change stood when the bridge last told of it.
---@param change_id string
---@param session_id? string
---@return drawbridge.ChangeUpdated?
function M.known(change_id, session_id)
  session_id = session_id or client.session()
  return session_id and known[M.key(session_id, change_id)]
end

---@param session_id string
---@param approval_id string
---@return drawbridge.Review?
function M.of_question(session_id, approval_id)
  for _, review in pairs(reviews) do
    if review.approvalId == approval_id and review.sessionId == session_id then
      return review
    end
  end
end

-- What came less than so long ago, in ms, has not been read.
local unread_ms = 1000

---@return number
local function now()
  return vim.uv.hrtime() / 1e6
end

--- Whether a person can hardly have seen it yet.
---@param review drawbridge.Review
---@return boolean
function M.unread(review)
  return now() - review.since < unread_ms
end

---@param review drawbridge.Review
---@return drawbridge.ReviewHunk[]
function M.undecided(review)
  return vim.tbl_filter(function(hunk)
    return hunk.decision == nil
  end, review.hunks)
end

---@param review drawbridge.Review
---@param decision drawbridge.Decision
---@return string[]
function M.decided(review, decision)
  local ids = {}
  for _, hunk in ipairs(review.hunks) do
    if hunk.decision == decision then
      ids[#ids + 1] = hunk.hunkId
    end
  end
  return ids
end

--- What a person said with the decisions about a change, for the model: in the order of
--- the file, each word once.
---@param review drawbridge.Review
---@param more? string One more.
---@return string?
function M.comment(review, more)
  local said = {}
  for _, hunk in ipairs(review.hunks) do
    if hunk.comment and not vim.list_contains(said, hunk.comment) then
      said[#said + 1] = hunk.comment
    end
  end
  if more and not vim.list_contains(said, more) then
    said[#said + 1] = more
  end
  return #said > 0 and table.concat(said, "; ") or nil
end

---@param hunk drawbridge.ReviewHunk
---@return string
local function text_of(hunk)
  return hunk.oldText .. "\0" .. hunk.newText
end

-- A question that was asked anew shows many of the same hunks; what a person
-- said about one counts for the very same text, as long as nothing else was said
-- about another of that text. It never counts as the last word: were nothing
-- left to decide, everything is open again.
---@param old drawbridge.Review?
---@param hunks drawbridge.ReviewHunk[]
---@return number? since When all of it was shown already.
local function carry(old, hunks)
  if not old or not old.approvalId then
    return nil
  end
  local said, comments, open, known_before = {}, {}, 0, true
  for _, hunk in ipairs(old.hunks) do
    local text, word = text_of(hunk), hunk.decision or "nothing"
    said[text] = (said[text] == nil or said[text] == word) and word or "nothing"
    comments[text] = hunk.comment or comments[text]
  end
  for _, hunk in ipairs(hunks) do
    local word = said[text_of(hunk)]
    known_before = known_before and word ~= nil
    hunk.decision = word ~= "nothing" and word or nil
    hunk.comment = hunk.decision and comments[text_of(hunk)]
    open = open + (hunk.decision and 0 or 1)
  end
  if open == 0 then
    for _, hunk in ipairs(hunks) do
      hunk.decision, hunk.comment = nil, nil
    end
  end
  return known_before and old.since or nil
end

-- What a withdrawn question had shown, until the same change is asked about
-- again or settled.
---@type table<string, drawbridge.Review>
local withdrawn = {}

--- A question about a change came up.
---@param question drawbridge.ApprovalRequestParams
---@return drawbridge.Review
function M.propose(question)
  local change = assert(question.change, "the question shows no change")
  local key = M.key(question.sessionId, change.changeId)
  local hunks = vim.deepcopy(change.hunks) ---@type drawbridge.ReviewHunk[]
  for i, hunk in ipairs(hunks) do
    hunk.number = i
  end
  local since = carry(reviews[key] or withdrawn[key], hunks)
  withdrawn[key] = nil
  ---@type drawbridge.Review
  local review = {
    key = key,
    sessionId = question.sessionId,
    changeId = change.changeId,
    turnId = question.turnId,
    approvalId = question.approvalId,
    uri = change.uri,
    path = vim.uri_to_fname(change.uri),
    kind = change.kind,
    open = change.version ~= nil,
    base = change.base,
    hunks = hunks,
    total = #hunks,
    since = since or now(),
  }
  reviews[key] = review
  M.changed(review)
  return review
end

--- Takes a review off the list.
---@param review drawbridge.Review
---@param why string One line for people.
function M.drop(review, why)
  if reviews[review.key] == review then
    reviews[review.key] = nil
  end
  if not review.closing then
    review.closing = why
    M.changed(review, true)
  end
end

--- A question does not stand any more, and nothing is known of its change yet.
---@param review drawbridge.Review
function M.withdraw(review)
  withdrawn[review.key] = review
  M.drop(review, "the question was withdrawn")
end

---@param event drawbridge.ApprovalResolved
local function on_resolved(event)
  local review = M.of_question(event.sessionId, event.approvalId)
  if not review then
    return
  end
  if event.outcome == "withdrawn" or event.by == "superseded" then
    withdrawn[review.key] = review
  end
  review.outcome, review.superseded = event.outcome, event.by == "superseded"
  M.drop(review, event.cause or event.outcome)
end

-- Numbers hunks by their ids, which are given out in the order of the file and stay,
-- while a list of them may come in another order once some are settled.
---@param hunks drawbridge.Hunk[]
---@return table<string, integer>
local function numbers(hunks)
  local ids = vim.tbl_map(function(hunk)
    return hunk.hunkId
  end, hunks)
  table.sort(ids, function(a, b)
    return #a ~= #b and #a < #b or #a == #b and a < b
  end)
  local number = {}
  for i, id in ipairs(ids) do
    number[id] = i
  end
  return number
end

-- The hunks that stand: those that nobody has decided about, and of those that
-- were kept the ones that are asked for.
---@param event drawbridge.ChangeUpdated
---@param kept fun(id: string): boolean
---@return drawbridge.ReviewHunk[]
local function standing(event, kept)
  local hunks, number = {}, numbers(event.hunks)
  for _, hunk in ipairs(event.hunks) do
    if hunk.state == "applied" or (hunk.state == "kept" and kept(hunk.hunkId)) then
      hunks[#hunks + 1] = vim.tbl_extend("force", vim.deepcopy(hunk), { number = number[hunk.hunkId] })
    end
  end
  return hunks
end

---@param event drawbridge.ChangeUpdated
---@return boolean
local function applied(event)
  return not event.gone and (event.state == "applied" or event.state == "partly")
end

---@param event drawbridge.ChangeUpdated
---@param hunks drawbridge.ReviewHunk[]
---@return drawbridge.Review
local function review_of(event, hunks)
  return {
    key = M.key(event.sessionId, event.changeId),
    sessionId = event.sessionId,
    changeId = event.changeId,
    turnId = event.turnId,
    uri = event.uri,
    path = vim.uri_to_fname(event.uri),
    kind = event.kind,
    open = false,
    base = event.base,
    hunks = hunks,
    total = #event.hunks,
    since = now(),
  }
end

-- What is being decided about a change goes on while the bridge tells of it.
---@param old? drawbridge.Review
---@param review drawbridge.Review
local function go_on(old, review)
  if not old or old.approvalId then
    return
  end
  review.since, review.reopened = old.since, old.reopened
  local before = {}
  for _, hunk in ipairs(old.hunks) do
    before[hunk.hunkId] = hunk
  end
  for _, hunk in ipairs(review.hunks) do
    local same = before[hunk.hunkId]
    if same and text_of(same) == text_of(hunk) then
      hunk.decision, hunk.stale = same.decision, same.stale
    end
  end
end

---@param event drawbridge.ChangeUpdated
local function on_updated(event)
  local key = M.key(event.sessionId, event.changeId)
  known[key] = event
  local old = reviews[key]
  if event.state == "proposed" then
    return -- the question shows it
  end
  withdrawn[key] = nil
  local hunks = applied(event) and standing(event, function(id)
    return old ~= nil and old.reopened == true and vim.iter(old.hunks):any(function(hunk)
      return hunk.hunkId == id
    end)
  end) or {}
  if #hunks == 0 then
    if old then
      M.drop(old, event.why or event.state)
    end
    return
  end
  local review = review_of(event, hunks)
  go_on(old, review)
  reviews[key] = review
  M.changed(review)
end

---@param key string
---@return drawbridge.Review?
local function whole(key)
  local event = known[key]
  local hunks = event and applied(event) and standing(event, function()
    return true
  end) or {}
  return event and #hunks > 0 and review_of(event, hunks) or nil
end

--- An applied change with every hunk that stands, whether it waits for review or
--- was kept: a look at it, on no list.
---@param key string
---@return drawbridge.Review?
function M.settled(key)
  local review = whole(key)
  if review then
    review.settled = true
  end
  return review
end

--- Shows a change for review again that was kept, while the bridge still has
--- its texts.
---@param session_id string
---@param change_id string
---@return drawbridge.Review?
function M.reopen(session_id, change_id)
  local key = M.key(session_id, change_id)
  local review = not reviews[key] and whole(key) or nil
  if review then
    review.reopened = true
    reviews[key] = review
    M.changed(review)
  end
  return reviews[key]
end

--- Forgets what is known of a session: its history comes anew. A question that
--- waits is no history and stays.
---@param session_id string
---@param why string
function M.reset(session_id, why)
  for _, review in ipairs(M.all()) do
    if review.sessionId == session_id and not review.approvalId then
      M.drop(review, why)
    end
  end
  for _, of in ipairs({ known, withdrawn }) do
    for key in pairs(of) do
      if vim.startswith(key, session_id .. "/") then
        of[key] = nil
      end
    end
  end
end

client.on("approval/resolved", on_resolved)
client.on("change/updated", on_updated)

return M
