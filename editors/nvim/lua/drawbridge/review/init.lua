-- Review of what the agent changes: accept and reject by hunk, file or all, in
-- the file's own buffer, in a diff, or from the quickfix list. Of a change that
-- waits, the last decided hunk is the answer; of one that is applied, accepting
-- keeps a hunk and rejecting takes it back.

local buffers = require("drawbridge.review.buffers")
local catalogue = require("drawbridge.review.catalogue")
local changes = require("drawbridge.review.changes")
local diff = require("drawbridge.review.diff")
local draft = require("drawbridge.review.draft")
local list = require("drawbridge.review.list")
local marks = require("drawbridge.review.marks")
local navigate = require("drawbridge.review.navigate")
local quickfix = require("drawbridge.review.quickfix")
local rewind = require("drawbridge.rewind")
local settle = require("drawbridge.review.settle")
local say = require("drawbridge.say")
local state = require("drawbridge.state")

local M = {}

M.next = navigate.next
M.prev = navigate.prev
M.quickfix = quickfix.open
M.changes = list.open

--- What waits for a decision.
---@return { hunks: integer, files: integer }
function M.count()
  local hunks, files = 0, {}
  for _, review in ipairs(changes.all()) do
    local open = #changes.undecided(review)
    if open > 0 and not review.busy then
      hunks = hunks + open
      files[review.path] = true
    end
  end
  return { hunks = hunks, files = vim.tbl_count(files) }
end

--- The changes that wait for a decision, by file and age.
---@return drawbridge.Review[]
function M.pending()
  return changes.all()
end

-- The answer to a question whose hunks are all decided.
---@param review drawbridge.Review
local function answer(review)
  local approvals = require("drawbridge.approvals")
  local accepted = changes.decided(review, "accepted")
  review.busy = true
  local more = { session_id = review.sessionId }
  if #accepted > 0 then
    more.hunks = accepted
  end
  if not approvals.choose(review.approvalId, #accepted > 0 and "allow" or "deny", more) then
    changes.drop(review, "the question no longer stands")
  end
end

---@param review drawbridge.Review
---@param hunks drawbridge.ReviewHunk[]
---@param decision drawbridge.Decision
---@param comment? string
local function decide_proposal(review, hunks, decision, comment)
  if review.busy then
    say.info("this change is being settled")
    return
  end
  for _, hunk in ipairs(hunks) do
    hunk.decision, hunk.comment = decision, comment
  end
  changes.changed(review)
  if #changes.undecided(review) == 0 then
    answer(review)
  end
end

---@param review drawbridge.Review
---@param hunks drawbridge.ReviewHunk[]
---@param decision drawbridge.Decision
---@param comment? string
local function decide_applied(review, hunks, decision, comment)
  if decision == "accepted" and review.settled then
    say.info("this is applied already; :Drawbridge reject takes it back")
  else
    settle.hunks(review, hunks, decision, comment)
  end
end

---@param review drawbridge.Review
---@param hunks drawbridge.ReviewHunk[]
---@param decision drawbridge.Decision
---@param comment? string
local function decide(review, hunks, decision, comment)
  if #hunks == 0 then
    return
  elseif review.approvalId then
    decide_proposal(review, hunks, decision, comment)
  else
    decide_applied(review, hunks, decision, comment)
  end
end

-- The hunk a person points at.
---@return drawbridge.Review?, drawbridge.ReviewHunk?
local function under_cursor()
  local buf = vim.api.nvim_get_current_buf()
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  if vim.b[buf].drawbridge_review then
    return diff.at(buf, row)
  end
  local place = marks.at(buf, row)
  if place then
    return place.review, place.hunk
  end
end

-- Decides about several changes. A yes is no yes to what came while it was being
-- typed; a no to it harms nothing.
---@param reviews drawbridge.Review[]
---@param decision drawbridge.Decision
---@param comment? string
local function decide_each(reviews, decision, comment)
  local unread = {}
  -- The newest first: an older change is taken back from under a newer one
  -- only where their lines do not meet.
  for i = #reviews, 1, -1 do
    local review = reviews[i]
    if decision == "accepted" and not review.settled and changes.unread(review) then
      table.insert(unread, buffers.short(review.path))
    else
      decide(review, changes.undecided(review), decision, comment)
    end
  end
  if #unread > 0 then
    say.warn("this came just now and still waits: " .. table.concat(unread, ", "))
  end
end

---@param decision drawbridge.Decision
---@param comment? string
local function decide_listed(decision, comment)
  local reviews = list.reviews()
  if #reviews == 0 then
    say.info("nothing of it waits, and nothing of it stands")
  end
  decide_each(reviews, decision, comment)
end

---@param decision drawbridge.Decision
---@param comment? string
local function decide_hunk(decision, comment)
  if list.at() then
    decide_listed(decision, comment)
    return
  end
  local review, hunk = under_cursor()
  if review and hunk then
    decide(review, { hunk }, decision, comment)
    return
  end
  local count = M.count()
  if count.hunks == 0 then
    say.info("no change waits for review")
  else
    say.info("there is no change under the cursor; :Drawbridge next goes to one")
  end
end

-- The reviews of the file, diff or draft that a person looks at.
---@return drawbridge.Review[]
local function in_view()
  local buf = vim.api.nvim_get_current_buf()
  local key = vim.b[buf].drawbridge_review
  if key then
    return { changes.get(key) or changes.settled(key) }
  end
  return vim.tbl_filter(function(review)
    return buffers.existing(review) == buf
  end, changes.all())
end

---@param decision drawbridge.Decision
---@param comment? string
local function decide_file(decision, comment)
  if list.at() then
    decide_listed(decision, comment)
    return
  end
  local reviews = in_view()
  if #reviews == 0 then
    say.info("no change of this file waits for review; :Drawbridge next goes to one")
  end
  decide_each(reviews, decision, comment)
end

-- Whether a person has said yes to a part of what is asked, or why not to one, which is
-- not answered yet.
---@param reviews drawbridge.Review[]
---@return boolean
local function begun(reviews)
  return vim.iter(reviews):any(function(review)
    return review.approvalId ~= nil and (#changes.decided(review, "accepted") > 0 or changes.comment(review) ~= nil)
  end)
end

-- Takes back or denies what is not settled. The bridge does it as a whole, unless a
-- person has said something about a part of it that the bridge does not know of.
---@param reviews drawbridge.Review[]
---@param turn_id? string
---@param comment? string
local function reject_each(reviews, turn_id, comment)
  local groups = {}
  for _, review in ipairs(reviews) do
    -- A turn of the conversation holds turns of its subagents, by names of their own.
    local turn = turn_id and (review.turnId or turn_id)
    local key = review.sessionId .. "/" .. (turn or "")
    groups[key] = groups[key] or { sessionId = review.sessionId, turnId = turn, reviews = {} }
    table.insert(groups[key].reviews, review)
  end
  for _, group in pairs(groups) do
    if begun(group.reviews) then
      decide_each(group.reviews, "rejected", comment)
    else
      settle.reject_all(group.sessionId, group.turnId, comment)
    end
  end
end

-- The turn at hand: the one the cursor is on, else the newest of which something waits.
---@return string?
local function turn_at_hand()
  local review = under_cursor()
  local turn = review and catalogue.turn_of(review.sessionId, review.turnId) or catalogue.turn_at_cursor()
  return turn or vim.iter(catalogue.changes())
    :filter(function(change)
      return changes.get(changes.key(change.sessionId, change.changeId)) ~= nil
    end)
    :map(function(change)
      return catalogue.turn_of(change.sessionId, change.turnId)
    end)
    :next()
end

-- The reviews of a turn of the conversation, with those of the subagents at work in it.
---@param turn_id string?
---@return drawbridge.Review[]
local function of_turn(turn_id)
  local ours = {}
  for _, c in ipairs(state.family()) do
    ours[c.sessionId] = true
  end
  return vim.tbl_filter(function(review)
    return ours[review.sessionId] ~= nil and catalogue.turn_of(review.sessionId, review.turnId) == turn_id
  end, changes.all())
end

---@param reviews drawbridge.Review[]
---@param decision drawbridge.Decision
---@param turn_id? string
---@param comment? string
local function decide_many(reviews, decision, turn_id, comment)
  if #reviews == 0 then
    say.info(turn_id and "no change of this turn waits for review" or "no change waits for review")
  elseif decision == "accepted" then
    -- Each by the content that was shown: a yes to all is no yes to what comes now.
    decide_each(reviews, decision, comment)
  else
    reject_each(reviews, turn_id, comment)
  end
end

-- Pages that are accepted as a whole: a draft, and what a rewind would do.
---@param all? boolean
---@return boolean
local function accept_page(all)
  local buf = vim.api.nvim_get_current_buf()
  return draft.accept(buf) or rewind.accept(buf, all)
end

---@return boolean
local function reject_page()
  return rewind.reject(vim.api.nvim_get_current_buf())
end

--- Accepts the hunk under the cursor; in a page that is accepted as a whole, that.
function M.accept_hunk()
  if not accept_page() then
    decide_hunk("accepted")
  end
end

---@param comment? string A word to the model.
function M.reject_hunk(comment)
  if not reject_page() then
    decide_hunk("rejected", comment)
  end
end

--- Accepts what is undecided in the file; in a page that is accepted as a whole, that
--- with what is in doubt.
function M.accept_file()
  if not accept_page(true) then
    decide_file("accepted")
  end
end

---@param comment? string A word to the model.
function M.reject_file(comment)
  if not reject_page() then
    decide_file("rejected", comment)
  end
end

function M.accept_all()
  decide_many(changes.all(), "accepted")
end

---@param comment? string A word to the model.
function M.reject_all(comment)
  decide_many(changes.all(), "rejected", nil, comment)
end

--- Accepts what is undecided of the turn at hand.
function M.accept_turn()
  local turn = turn_at_hand()
  decide_many(of_turn(turn), "accepted", turn or "")
end

--- Rejects what is undecided of the turn at hand.
---@param comment? string A word to the model.
function M.reject_turn(comment)
  local turn = turn_at_hand()
  decide_many(of_turn(turn), "rejected", turn or "", comment)
end

---@param change_id? string
---@return drawbridge.Review?
local function meant(change_id)
  if change_id then
    return changes.find(change_id)
  end
  return under_cursor() or in_view()[1] or changes.all()[1]
end

-- Goes to a change of the session; one that was kept waits again then, to be
-- taken back after all, any other settled one is shown as a diff.
---@param session_id string
---@param change_id string
local function take_up(session_id, change_id)
  settle.when_quiet(changes.key(session_id, change_id), function()
    local review = changes.find(change_id) or changes.reopen(session_id, change_id)
    if review then
      navigate.to(review)
    else
      diff.open(session_id, change_id)
    end
  end)
end

--- Goes to the first undecided hunk of a change. Without one that waits, the
--- settled ones are offered.
---@param change_id? string Absent: the change at hand, else the first.
function M.open(change_id)
  change_id = catalogue.id(change_id)
  local session_id = catalogue.session_of(change_id)
  local review = meant(change_id)
  if review and settle.busy(review.key) and #changes.undecided(review) == 0 then
    -- What was just decided is about to go.
    settle.when_quiet(review.key, function()
      M.open(change_id)
    end)
  elseif review and not review.settled then
    navigate.to(review)
  elseif change_id and session_id then
    take_up(session_id, change_id)
  elseif review then
    take_up(review.sessionId, review.changeId)
  elseif not session_id or #catalogue.changes() == 0 then
    say.info("there is no change to review")
  else
    catalogue.pick("No change waits; review which again?", function(change)
      take_up(change.sessionId, change.changeId)
    end)
  end
end

--- Shows a change side by side, settled or not.
---@param change_id? string Absent: the change at hand, else one that waits, else the last.
function M.diff(change_id)
  change_id = catalogue.id(change_id)
  local here = not change_id and not under_cursor() and catalogue.at_cursor()
  local review = not here and meant(change_id) or nil
  local last = not change_id and catalogue.last()
  change_id = here or review and review.changeId or change_id or last and last.changeId or nil
  local session_id = review and review.sessionId or catalogue.session_of(change_id)
  if change_id and session_id then
    diff.open(session_id, change_id)
  else
    say.info("there is no change to show yet")
  end
end

--- Opens the proposal for editing before it is accepted.
---@param change_id? string Absent: the change at hand, else the first.
function M.edit(change_id)
  local review = meant(catalogue.id(change_id))
  if review and not review.settled then
    draft.change(review)
  else
    say.info("no change waits that could be edited")
  end
end

return M
