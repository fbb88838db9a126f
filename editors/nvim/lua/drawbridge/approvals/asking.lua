-- How a question is put to a person: what is shown, what can be chosen, and how a
-- rule is rewritten before a yes leaves it behind. Whatever is closed without a
-- choice decides nothing.

local approvals = require("drawbridge.approvals")
local config = require("drawbridge.config")
local draft = require("drawbridge.review.draft")
local preview = require("drawbridge.review.preview")
local reading = require("drawbridge.approvals.question")
local rest = require("drawbridge.rest")
local say = require("drawbridge.say")
local window = require("drawbridge.window")

local M = {}

---@class (exact) drawbridge.Choice
---@field label string
---@field act fun()

-- An answer, with all that it would leave behind.
---@param question drawbridge.OpenQuestion
---@param option drawbridge.ApprovalOption
---@return drawbridge.Choice
local function option_choice(question, option)
  local label = option.label
  if option.rule and option.rule ~= "" then
    label = label .. ": " .. reading.rule(option.rule)
  end
  return {
    label = label,
    act = function()
      approvals.answer_to(question, { outcome = "selected", optionId = option.optionId })
    end,
  }
end

-- Runs a vim.ui.select of whatever make: it may call back later, twice or never.
---@generic T
---@param items T[]
---@param opts table
---@param cb fun(item: T?)
local function select(items, opts, cb)
  local called = false
  local ok, err = pcall(vim.ui.select, items, opts, function(item)
    if not called then
      called = true
      cb(item)
    end
  end)
  if not ok then
    preview.close()
    say.error("the choice could not be shown: " .. tostring(err))
  end
end

-- What is rewritten is the person's own; the bridge looks whether it can be read and
-- covers what is asked. Several rules do not fit into one line of input.
---@param question drawbridge.OpenQuestion
---@param option drawbridge.ApprovalOption
local function rewrite(question, option)
  local rule = assert(option.rule)
  local function answer(text)
    return approvals.answer_to(question, { outcome = "selected", optionId = option.optionId, rule = text })
  end
  if rule:find("%c") then
    draft.rule(question.params, option, answer)
    return
  end
  vim.ui.input({ prompt = ("Rule, %s: "):format(reading.scope(option.scope)), default = rule }, function(line)
    if not line then
      return
    elseif vim.trim(line) == "" then
      say.info("an empty rule covers nothing; the question still waits")
    else
      answer(vim.trim(line))
    end
  end)
end

---@param question drawbridge.OpenQuestion
local function deny_with_reason(question)
  vim.ui.input({ prompt = "Why not? The model reads this: " }, function(reason)
    if reason then
      approvals.choose_for(question, "deny", { comment = reason })
    end
  end)
end

-- A command of several lines does not fit into one of input; it is edited in a
-- buffer of its own and runs by :Drawbridge allow there. The Enter behind what is
-- typed into a command stays, and before it there may be nothing.
---@param question drawbridge.OpenQuestion
local function edit_command(question)
  local params = question.params
  local command = assert(params.command)
  local text, enter = command.text, ""
  if command.typedInto then
    text, enter = text:match("^(.-)(\n?)$")
  end
  if text:find("%c") then
    draft.command(params)
    return
  end
  local prompt = command.typedInto and "Type instead: " or "Run instead: "
  vim.ui.input({ prompt = prompt, default = text }, function(line)
    if not line then
      return
    elseif line .. enter == "" or (not command.typedInto and vim.trim(line) == "") then
      say.info("an empty command is no answer; the question still waits")
    else
      approvals.choose_for(question, "allow", { command = line .. enter })
    end
  end)
end

---@param question drawbridge.OpenQuestion
---@return drawbridge.ApprovalOption[]
local function rewritable(question)
  return vim.tbl_filter(function(option)
    return option.editable == true and option.rule ~= nil and option.rule ~= ""
  end, question.params.options)
end

-- Which of the longer yeses is meant, then its rule.
---@param question drawbridge.OpenQuestion
local function rewrite_one(question)
  local options = rewritable(question)
  if #options == 1 then
    rewrite(question, options[1])
    return
  end
  select(options, {
    prompt = "Which rule is to be rewritten",
    kind = "drawbridge_rule",
    format_item = function(option)
      return ("%s: %s"):format(reading.scope(option.scope), reading.rule(option.rule))
    end,
  }, function(option)
    if option then
      rewrite(question, option)
    end
  end)
end

---@param question drawbridge.OpenQuestion
---@return drawbridge.Choice[]
local function choices(question)
  local params = question.params
  local list = {}
  for _, option in ipairs(params.options) do
    list[#list + 1] = option_choice(question, option)
  end
  list[#list + 1] = {
    label = "Deny with a reason…",
    act = function()
      deny_with_reason(question)
    end,
  }
  if params.command then
    list[#list + 1] = {
      label = params.command.typedInto and "Edit what is typed…" or "Edit the command…",
      act = function()
        edit_command(question)
      end,
    }
  end
  if #rewritable(question) > 0 then
    list[#list + 1] = {
      label = "Rewrite the rule, then allow…",
      act = function()
        rewrite_one(question)
      end,
    }
  end
  if params.change then
    list[#list + 1] = {
      label = "Review the hunks",
      act = function()
        require("drawbridge.review").open(params.change.changeId)
      end,
    }
    list[#list + 1] = {
      label = "Show the diff",
      act = function()
        require("drawbridge.review").diff(params.change.changeId)
      end,
    }
  end
  list[#list + 1] = {
    label = "Show why it is asked",
    act = function()
      M.show(params)
    end,
  }
  return list
end

---@param question drawbridge.OpenQuestion
---@param list drawbridge.Choice[]
---@param unasked? boolean The person did not ask for it: keys may have been on their way.
local function ask_with(question, list, unasked)
  preview.show(question.params)
  local typing = unasked and rest.typing()
  select(list, {
    prompt = reading.headline(question.params),
    kind = "drawbridge_approval",
    format_item = function(choice)
      return choice.label
    end,
  }, function(choice)
    preview.close(question.params)
    if not choice then
      return -- no answer yet: it stays in the list
    elseif typing and typing() then
      say.info("keys were still being typed; nothing was answered, :Drawbridge approvals asks again")
    elseif question.over then
      say.warn("that question no longer stands (" .. question.over .. "); nothing was answered")
    else
      choice.act()
    end
  end)
end

---@param question drawbridge.OpenQuestion
local function ask(question)
  ask_with(question, choices(question))
end

-- Asks without having been told to. A number that was typed for the buffer finds
-- nothing here that allows or denies.
---@param question drawbridge.OpenQuestion
local function offer(question)
  ask_with(question, {
    { label = "Decide later", act = function() end },
    {
      label = "Answer…",
      act = function()
        ask_with(question, choices(question), true)
      end,
    },
  }, true)
end

--- Shows all there is about a question, in a buffer. That answers nothing.
---@param params drawbridge.ApprovalRequestParams
function M.show(params)
  local page = reading.whole(params)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = "wipe"
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, page.lines)
  vim.bo[buf].modifiable = false
  pcall(vim.api.nvim_buf_set_name, buf, "drawbridge://question/" .. params.approvalId)
  local win = window.split_below(buf, math.min(#page.lines + 1, math.floor(vim.o.lines / 2)))
  vim.wo[win].wrap = true
  window.bar(win, "question", { "it goes on waiting: :Drawbridge approvals answers · :q", ":Drawbridge approvals · :q" })
  preview.colour(buf, page)
end

--- Shows why a question is asked: the named one, the only one, or one from the list.
---@param approval_id? string
function M.why(approval_id)
  local open = approvals.waiting()
  local named = approval_id and approvals.find(approval_id) or (not approval_id and #open == 1 and open[1]) or nil
  if named then
    M.show(named.params)
  elseif approval_id or #open == 0 then
    say.info(approval_id and "no question " .. approval_id .. " waits" or "no question waits")
  else
    select(open, {
      prompt = "Which question",
      kind = "drawbridge_approvals",
      format_item = function(question)
        return reading.headline(question.params)
      end,
    }, function(question)
      if question then
        M.show(question.params)
      end
    end)
  end
end

--- Lists the questions that wait, to choose one.
function M.list()
  local open = approvals.waiting()
  if #open == 0 then
    say.info("no question waits")
    return
  end
  select(open, {
    prompt = ("%d question%s wait%s"):format(#open, #open == 1 and "" or "s", #open == 1 and "s" or ""),
    kind = "drawbridge_approvals",
    format_item = function(question)
      return reading.headline(question.params)
    end,
  }, function(question)
    if question and question.over then
      say.warn("that question no longer stands (" .. question.over .. ")")
    elseif question then
      ask(question)
    end
  end)
end

--- Asks about a question: the named one, the only one, or one from the list.
---@param approval_id? string
function M.open(approval_id)
  if approval_id then
    local question = approvals.find(approval_id)
    if question then
      ask(question)
    else
      say.warn("no question " .. approval_id .. " waits")
    end
  elseif #approvals.waiting() == 1 then
    ask(approvals.waiting()[1])
  else
    M.list()
  end
end

-- Asks without being told to, where that cannot take a key: the person has
-- rested for a while in normal mode in the conversation and nothing else is
-- being asked.
local function ask_when_idle()
  local question = vim.iter(approvals.waiting()):find(function(q)
    return not q.offered
  end)
  if
    not question
    or preview.showing()
    or vim.api.nvim_get_mode().mode ~= "n"
    or vim.bo.filetype ~= "drawbridge"
    or vim.fn.getchar(1) ~= 0
  then
    return
  end
  question.offered = true
  offer(question)
end

--- Asks about what waits as soon as the person rests in the conversation, where the
--- option approvals.auto says so.
function M.at_rest()
  if #approvals.waiting() > 0 and config.get().approvals.auto then
    rest.wait(ask_when_idle)
  end
end

vim.api.nvim_create_autocmd({ "CursorHold", "WinEnter" }, {
  group = vim.api.nvim_create_augroup("drawbridge_approvals", {}),
  callback = M.at_rest,
})

return M
