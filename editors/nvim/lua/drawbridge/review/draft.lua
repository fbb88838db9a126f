-- A proposal as a person would rather have it: a buffer with the new text, to be
-- edited before it is accepted. Writing it keeps the draft and accepts nothing,
-- since plugins write buffers by themselves; only :Drawbridge accept in the
-- buffer answers, and closing it discards the draft.

local buffers = require("drawbridge.review.buffers")
local changes = require("drawbridge.review.changes")
local client = require("drawbridge.client")
local say = require("drawbridge.say")

local M = {}

---@class drawbridge.Draft
---@field buf integer
---@field key string Of the review; session/approval for a command, with /rule/ and the option behind it for what that yes remembers.
---@field empty? string What is said of an empty text, which answers nothing.
---@field original string What was proposed.
---@field accept fun(text: string, taken: fun()) Calls back when the text was taken.
---@field stands fun(): boolean Whether there is still something to accept.

---@type table<integer, drawbridge.Draft>
local drafts = {}

-- Whether a buffer still has the text that was put into it. Deleting a buffer
-- only unloads it: what comes back under its number is empty, and no draft.
---@param buf integer
---@return boolean
local function whole(buf)
  return vim.api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype == "acwrite"
end

---@param key string
---@return drawbridge.Draft?
local function of(key)
  for _, draft in pairs(drafts) do
    if draft.key == key and whole(draft.buf) then
      return draft
    end
  end
end

---@param buf integer
---@param text string
local function fill(buf, text)
  local lines = vim.split(text, "\n", { plain = true })
  local ended = lines[#lines] == ""
  if ended and #lines > 1 then
    lines[#lines] = nil
  end
  local dos = #lines > 0
  for i, line in ipairs(lines) do
    dos = dos and (line:sub(-1) == "\r" or (i == #lines and not ended))
  end
  for i, line in ipairs(lines) do
    lines[i] = (dos and line:gsub("\r$", "") or line):gsub("%z", "\n")
  end
  -- Undo forgets what was before, so that it does not go back to nothing.
  vim.bo[buf].undolevels = -1
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].undolevels = vim.go.undolevels
  vim.bo[buf].fileformat = dos and "dos" or "unix"
  vim.bo[buf].fixendofline = false
  vim.bo[buf].endofline = ended or text == ""
  vim.bo[buf].modified = false
end

---@param buf integer
---@return string
local function text_of(buf)
  local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  for i, line in ipairs(lines) do
    lines[i] = line:gsub("\n", "\0")
  end
  local ends = vim.bo[buf].fileformat == "dos" and "\r\n" or "\n"
  if #lines == 1 and lines[1] == "" then
    return ""
  end
  return table.concat(lines, ends) .. (vim.bo[buf].endofline and ends or "")
end

-- Takes a draft away whose question is over. A person's words are not thrown
-- away with it, and a buffer that they are in stays until they leave it: what is
-- said there next must not be taken for something else that comes into its place.
---@param draft drawbridge.Draft
---@param why string
local function settle(draft, why)
  drafts[draft.buf] = nil
  if not whole(draft.buf) then
    buffers.wipe(draft.buf)
    return
  end
  local untouched = text_of(draft.buf) == draft.original
  if untouched and vim.api.nvim_get_current_buf() ~= draft.buf then
    buffers.wipe(draft.buf)
    say.info(why .. "; its draft was untouched and is closed")
    return
  end
  vim.bo[draft.buf].buftype = "nofile"
  vim.b[draft.buf].drawbridge_draft_over = true
  if untouched then
    vim.bo[draft.buf].bufhidden = "wipe"
    vim.bo[draft.buf].modified = false
  end
  say.warn(why .. (untouched and "; this buffer is no draft any more" or "; your text stays in this buffer and is no file"))
end

-- A buffer that is gone or was deleted takes its draft with it. One that was
-- read in again has the proposal again.
---@param buf integer
local function unloaded(buf)
  if whole(buf) then
    return
  end
  local draft = drafts[buf]
  drafts[buf] = nil
  buffers.wipe(buf)
  if draft and draft.stands() then
    say.info("the draft is gone; nothing was decided and the question still waits")
  end
end

---@param name string
---@param path string
---@param text string
---@param how string
---@return integer buf
local function open(name, path, text, how)
  local buf = buffers.virtual({ name = name, lines = {}, path = path, why = "" })
  vim.bo[buf].modifiable = true
  vim.bo[buf].modeline = false
  fill(buf, text)
  vim.api.nvim_clear_autocmds({ buffer = buf, event = "BufWriteCmd" })
  vim.api.nvim_create_autocmd("BufWriteCmd", {
    buffer = buf,
    callback = function()
      vim.bo[buf].modified = false
      say.info("the draft is kept and nothing is accepted yet; " .. how)
    end,
  })
  vim.api.nvim_create_autocmd("BufReadCmd", {
    buffer = buf,
    callback = function()
      fill(buf, text)
    end,
  })
  vim.api.nvim_create_autocmd("BufUnload", {
    buffer = buf,
    callback = function()
      if vim.v.exiting == vim.NIL then
        vim.schedule(function()
          unloaded(buf)
        end)
      end
    end,
  })
  buffers.show(buf)
  say.info(how)
  return buf
end

---@param review drawbridge.Review
---@param text string
---@param taken fun()
local function accept_change(review, text, taken)
  if review.approvalId then
    local approvals = require("drawbridge.approvals")
    if approvals.choose(review.approvalId, "allow", { text = text, session_id = review.sessionId }) then
      taken()
    end
    return
  end
  client.request("change/resolve", {
    sessionId = review.sessionId,
    changeId = review.changeId,
    base = review.base,
    text = text,
  }, function(err)
    if err then
      say.error("your text was not taken: " .. err.message .. (err.hint and " (" .. err.hint .. ")" or ""))
    else
      taken()
    end
  end)
end

--- Opens the proposal of a change for editing.
---@param review drawbridge.Review
function M.change(review)
  local draft = of(review.key)
  if draft then
    buffers.show(draft.buf)
    return
  end
  client.request("change/show", {
    sessionId = review.sessionId,
    changeId = review.changeId,
    texts = true,
  }, function(err, result)
    if err or not result.newText then
      say.error("the proposal cannot be edited: " .. (err and err.message or "it leaves no text"))
      return
    elseif changes.get(review.key) ~= review then
      say.info("that change is settled meanwhile")
      return
    end
    local short = buffers.short(review.path)
    local buf = open(
      ("edit/%s/%s"):format(review.changeId, short),
      review.path,
      result.newText,
      (":Drawbridge accept puts this text into %s, :bdelete! discards it"):format(short)
    )
    drafts[buf] = {
      buf = buf,
      key = review.key,
      original = text_of(buf),
      accept = function(text, taken)
        accept_change(review, text, taken)
      end,
      stands = function()
        return changes.get(review.key) == review and not review.busy
      end,
    }
  end)
end

---@class (exact) drawbridge.DraftOfAnAnswer
---@field key string
---@field name string
---@field path string For its syntax.
---@field text string
---@field how string
---@field empty string
---@field answer fun(text: string): boolean

--- Opens a part of an answer for editing, or the draft of it that there is.
---@param params drawbridge.ApprovalRequestParams
---@param part drawbridge.DraftOfAnAnswer
local function of_answer(params, part)
  local draft = of(part.key)
  if draft and draft.stands() then
    buffers.show(draft.buf)
    return
  elseif draft then
    settle(draft, "the question no longer stands") -- of a bridge that ended; ids begin anew
  end
  local buf = open(part.name, part.path, part.text, part.how)
  drafts[buf] = {
    buf = buf,
    key = part.key,
    original = text_of(buf),
    empty = part.empty,
    accept = function(text, taken)
      if part.answer(text) then
        taken()
      end
    end,
    stands = function()
      return require("drawbridge.approvals").waits(params)
    end,
  }
end

---@param params { sessionId: string, approvalId: string }
---@return string
local function question_key(params)
  return params.sessionId .. "/" .. params.approvalId
end

-- What the keys of all drafts of rules of a question begin with: what is remembered
-- in the workspace is not what is remembered for always.
---@param params { sessionId: string, approvalId: string }
---@return string
local function rule_keys(params)
  return question_key(params) .. "/rule/"
end

-- Whether a draft is of what a question asks, or of a rule that it would remember.
---@param draft drawbridge.Draft
---@param params { sessionId: string, approvalId: string }
---@return boolean
local function asks_for(draft, params)
  return draft.key == question_key(params) or vim.startswith(draft.key, rule_keys(params))
end

--- Opens the command of a question for editing.
---@param params drawbridge.ApprovalRequestParams
function M.command(params)
  of_answer(params, {
    key = question_key(params),
    name = "command/" .. params.approvalId,
    path = "command.sh",
    text = assert(params.command).text,
    how = ":Drawbridge accept runs this command instead, :bdelete! discards it",
    empty = "an empty command is no answer; the question still waits",
    answer = function(text)
      local more = { command = text, session_id = params.sessionId }
      return require("drawbridge.approvals").choose(params.approvalId, "allow", more)
    end,
  })
end

--- Opens the rules that a yes would leave behind for editing, a line each.
---@param params drawbridge.ApprovalRequestParams
---@param option drawbridge.ApprovalOption
---@param answer fun(text: string): boolean
function M.rule(params, option, answer)
  of_answer(params, {
    key = rule_keys(params) .. option.optionId,
    name = ("rule/%s/%s"):format(params.approvalId, option.optionId),
    path = "rule",
    text = assert(option.rule),
    how = ":Drawbridge accept allows it and remembers these rules, :bdelete! discards them",
    empty = "an empty rule covers nothing; the question still waits",
    answer = function(text)
      return answer((text:gsub("\n+$", "")))
    end,
  })
end

--- Whether a buffer holds a draft for a question.
---@param buf integer
---@param params drawbridge.ApprovalRequestParams
---@return boolean
function M.is_for(buf, params)
  local draft = drafts[buf]
  local change = params.change and changes.key(params.sessionId, params.change.changeId)
  return draft ~= nil and whole(buf) and (draft.key == change or asks_for(draft, params))
end

--- Accepts the draft in a buffer; false when the buffer is none.
---@param buf integer
---@return boolean
function M.accept(buf)
  local draft = drafts[buf]
  if vim.b[buf].drawbridge_draft_over then
    say.info("nothing was accepted: the question of this draft no longer stands")
    return true
  elseif not draft or not whole(buf) then
    return false
  end
  if not draft.stands() then
    settle(draft, "the question no longer stands")
    return true
  end
  local text = text_of(buf)
  if draft.empty and vim.trim(text) == "" then
    say.info(draft.empty)
    return true
  end
  draft.accept(text, function()
    drafts[buf] = nil
    buffers.wipe(buf)
  end)
  return true
end

changes.watch(function(review, gone)
  local draft = gone and of(review.key)
  if draft then
    vim.schedule(function()
      if not draft.stands() then
        settle(draft, "the change was settled meanwhile: " .. (review.closing or ""))
      end
    end)
  end
end)

client.on("approval/resolved", function(event)
  for _, draft in ipairs(event.by ~= "person" and vim.tbl_values(drafts) or {}) do
    if asks_for(draft, event) then
      settle(draft, "the question no longer stands")
    end
  end
end)

return M
