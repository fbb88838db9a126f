-- Questions of the bridge. A question is taken in at once and waits in a list;
-- nothing opens by itself and nothing a person does elsewhere answers it. It
-- ends once: by the option that was chosen for exactly it, or withdrawn. How it is
-- put to a person stands in approvals/asking.

local client = require("drawbridge.client")
local config = require("drawbridge.config")
local preview = require("drawbridge.review.preview")
local reading = require("drawbridge.approvals.question")
local changes = require("drawbridge.review.changes")
local draft = require("drawbridge.review.draft")
local remember = require("drawbridge.approvals.remember")
local say = require("drawbridge.say")
local state = require("drawbridge.state")

local M = {}

---@class (exact) drawbridge.OpenQuestion
---@field params drawbridge.ApprovalRequestParams
---@field respond drawbridge.Respond
---@field over? string Why it needs no answer any more.
---@field offered? boolean It was asked about unasked, which is done once.

-- In the order of their calls, which may be asked about in any.
---@type drawbridge.OpenQuestion[]
local open = {}

---@param approval_id string
---@param session_id? string
---@return drawbridge.OpenQuestion?
local function find(approval_id, session_id)
  local elsewhere
  for _, question in ipairs(open) do
    if question.params.approvalId == approval_id then
      if question.params.sessionId == (session_id or client.session()) then
        return question
      end
      elsewhere = elsewhere or question
    end
  end
  return not session_id and elsewhere or nil
end

---@param question drawbridge.OpenQuestion
---@param why string
local function close(question, why)
  for i, other in ipairs(open) do
    if other == question then
      table.remove(open, i)
      break
    end
  end
  question.over = question.over or why
  preview.close(question.params)
end

-- Calls are numbered: c2 comes before c10.
---@param question drawbridge.OpenQuestion
local function insert(question)
  local id, at = question.params.callId, #open + 1
  while at > 1 do
    local before = open[at - 1].params
    local same = before.sessionId == question.params.sessionId
    if not same or #before.callId < #id or (#before.callId == #id and before.callId <= id) then
      break
    end
    at = at - 1
  end
  table.insert(open, at, question)
end

--- The questions that wait, in the order of their calls, each as it is answered.
---@return drawbridge.OpenQuestion[]
function M.waiting()
  return vim.list_slice(open)
end

--- The question that has an id now.
M.find = find

--- The questions that wait, in the order of their calls.
---@return drawbridge.ApprovalRequestParams[]
function M.pending()
  return vim.tbl_map(function(question)
    return question.params
  end, open)
end

--- Whether a question, as it was asked, still waits.
---@param params drawbridge.ApprovalRequestParams
---@return boolean
function M.waits(params)
  local question = find(params.approvalId, params.sessionId)
  return question ~= nil and question.params == params
end

--- The option of a kind that holds the shortest.
---@param params drawbridge.ApprovalRequestParams
---@param kind drawbridge.OptionKind
---@return drawbridge.ApprovalOption?
function M.option(params, kind)
  local found
  for _, option in ipairs(params.options) do
    if option.kind == kind and (not found or (found.scope ~= "once" and option.scope == "once")) then
      found = option
    end
  end
  return found
end

-- A yes to a change leaves out the hunks that were rejected before it.
---@param review drawbridge.Review
---@param params drawbridge.ApprovalRequestParams
---@param answer drawbridge.ApprovalAnswer
local function leave_out_rejected(review, params, answer)
  local option = vim.iter(params.options):find(function(o)
    return o.optionId == answer.optionId
  end)
  if not option or option.kind ~= "allow" or answer.hunks or answer.text then
    return
  end
  local rejected = changes.decided(review, "rejected")
  if #rejected > 0 then
    answer.hunks = vim.iter(review.hunks):map(function(hunk)
      return not vim.list_contains(rejected, hunk.hunkId) and hunk.hunkId or nil
    end):totable()
  end
end

--- Answers exactly this question; says so when it no longer stands. What a
--- person chose some time ago is never looked up by its id: after a restart of
--- the bridge another question may have it.
---@param question? drawbridge.OpenQuestion
---@param answer drawbridge.ApprovalAnswer
---@return boolean
function M.answer_to(question, answer)
  if not question or question.over then
    local why = question and (" (" .. question.over .. ")") or ""
    say.warn("that question no longer stands" .. why .. "; nothing was answered")
    return false
  end
  close(question, "answered")
  local review = changes.of_question(question.params.sessionId, question.params.approvalId)
  if review then
    leave_out_rejected(review, question.params, answer)
    if answer.outcome == "selected" then
      answer.comment = changes.comment(review, answer.comment)
    end
    review.busy = true
  end
  remember.answered(question.params, answer)
  question.respond(answer)
  return true
end

--- Answers the question that has an id now.
---@param approval_id string
---@param answer drawbridge.ApprovalAnswer
---@param session_id? string
---@return boolean
function M.answer(approval_id, answer, session_id)
  return M.answer_to(find(approval_id, session_id), answer)
end

---@class (exact) drawbridge.MoreOfAnAnswer
---@field comment? string
---@field hunks? string[]
---@field text? string
---@field command? string
---@field session_id? string

--- Allows exactly this question once, or denies it.
---@param question? drawbridge.OpenQuestion
---@param kind drawbridge.OptionKind
---@param more drawbridge.MoreOfAnAnswer
---@return boolean
function M.choose_for(question, kind, more)
  local option = question and M.option(question.params, kind)
  if not question or question.over or not option then
    return M.answer_to(question, { outcome = "dismissed" })
  end
  local buf = vim.api.nvim_get_current_buf()
  if kind == "allow" and not (more.hunks or more.text or more.command) and draft.is_for(buf, question.params) then
    return draft.accept(buf) -- what is meant is what is written there
  end
  return M.answer_to(question, {
    outcome = "selected",
    optionId = option.optionId,
    comment = more.comment ~= "" and more.comment or nil,
    hunks = more.hunks,
    text = more.text,
    command = more.command,
  })
end

--- Allows a question once, or denies it.
---@param approval_id string
---@param kind drawbridge.OptionKind
---@param more? drawbridge.MoreOfAnAnswer
---@return boolean
function M.choose(approval_id, kind, more)
  more = more or {}
  return M.choose_for(find(approval_id, more.session_id), kind, more)
end

---@param params drawbridge.ApprovalRequestParams
local function notify(params)
  if not config.get().approvals.notify then
    return
  end
  local count = #open > 1 and ("%d questions, "):format(#open) or ""
  local text = ":Drawbridge approvals  " .. count .. reading.headline(params)
  -- The conversation has the whole question; here it is enough to notice it.
  say.warn((say.fit(text, vim.v.echospace - 20)))
end

-- Takes a question in.
---@param params drawbridge.ApprovalRequestParams
---@param respond drawbridge.Respond
---@param ctx drawbridge.RequestContext
local function asked(params, respond, ctx)
  local before = find(params.approvalId, params.sessionId)
  if before then
    close(before, "asked again")
  end
  if params.change then
    changes.propose(params)
  end
  ---@type drawbridge.OpenQuestion
  local question = { params = params, respond = respond }
  insert(question)
  remember.asked(params)
  -- approval/resolved says why and is heard in the same breath; this is for a
  -- bridge that is gone without a word.
  ctx.withdrawn(vim.schedule_wrap(function()
    close(question, "withdrawn")
    local review = changes.of_question(params.sessionId, params.approvalId)
    if review then
      changes.withdraw(review)
    end
  end))
  pcall(notify, params) -- it is in the list; a notifier that fails loses it not
  require("drawbridge.approvals.asking").at_rest()
end

-- A question that cannot be shown is answered by an error, never left alone: the
-- bridge asks once more and then takes it for a no.
client.answer("approval/request", function(params, respond, ctx)
  local ok, err = pcall(asked, params, respond, ctx)
  if not ok then
    respond(nil, tostring(err))
    say.error("a question could not be shown: " .. tostring(err))
  end
end)

client.on("approval/resolved", function(event)
  local question = find(event.approvalId, event.sessionId)
  if question then
    close(question, event.cause or event.outcome)
  end
end)

client.on("drawbridge/exited", function()
  for _, question in ipairs(vim.list_slice(open)) do
    close(question, "the bridge ended")
  end
  preview.close()
end)

state.on_change(function(session_id, what)
  if what.kind == "reset" then
    changes.reset(session_id, "the session is read anew")
  end
end)

return M
