--- One line about the agent, for a statusline, and the bar above the conversation.

local client = require("drawbridge.client")
local items = require("drawbridge.items")
local reading = require("drawbridge.approvals.question")
local state = require("drawbridge.state")

local M = {}

--- How each state is spoken of.
---@type table<drawbridge.State, string>
local words = {
  model = "thinking",
  approval = "waiting for you",
  tool = "working",
  input = "waits for typing",
  retry = "retrying",
  compacting = "shortening the history",
}

---@param s drawbridge.StateNow
---@return string
local function doing(s)
  if s.state == "retry" and s.attempt then
    return ("retrying %d%s"):format(s.attempt, s.max and " of " .. s.max or "")
  end
  return words[s.state] or "working"
end

--- The commands and subagents that are at work in the background, of whatever session.
---@return integer number
---@return boolean waits One of them waits for typing.
local function background()
  local alone = state.alone()
  return #alone + #state.working(), vim.iter(alone):any(function(terminal)
    return terminal.waiting
  end)
end

--- That questions wait for the person, how many, and for how long the oldest has.
---@return string?
local function for_you()
  local questions = state.questions()
  if #questions == 0 then
    return nil
  end
  local oldest = questions[1].since
  for _, question in ipairs(questions) do
    oldest = math.min(oldest, question.since)
  end
  local waited = reading.waited(oldest)
  return ("waiting for you (%d)%s"):format(#questions, waited and " for " .. waited or "")
end

--- What happens now: "" when nothing does.
---@return string
function M.text()
  local c = state.current()
  if not c then
    return ""
  end
  local parts = {}
  local asked_for = for_you()
  if c.turnId and not (asked_for and c.state.state == "approval") then
    table.insert(parts, doing(c.state))
  end
  table.insert(parts, asked_for)
  local alone, waits = background()
  if alone > 0 then
    table.insert(parts, ("%d in the background%s"):format(alone, waits and ", waits for typing" or ""))
  end
  if #parts == 0 then
    return client.is_ready() and "drawbridge" or ""
  end
  return "drawbridge: " .. table.concat(parts, ", ")
end

---@param text string
---@return string
local function escaped(text)
  return (text:gsub("%%", "%%%%"):gsub("%c", " "))
end

--- The cells of the window whose bar is drawn: Neovim makes it the current one
--- meanwhile.
---@return integer
local function room()
  return vim.api.nvim_win_get_width(0)
end

---@param c drawbridge.Conversation
---@param session drawbridge.Session
---@param wide boolean
---@return string
local function facts(c, session, wide)
  local all = { session.mode }
  if session.preset ~= "workspace-write" then
    table.insert(all, session.preset)
  end
  if session.profile and session.profile ~= "default" and (wide or session.profile == "compact") then
    table.insert(all, session.profile)
  end
  if wide and session.model ~= "" then
    table.insert(all, (session.model:gsub("^(%w+:).*/", "%1")))
  end
  if c.contextTokens and c.contextLimit and c.contextLimit > 0 then
    table.insert(all, ("%d%% full"):format(math.floor(100 * c.contextTokens / c.contextLimit)))
  elseif wide and c.total and c.total.inputTokens + c.total.outputTokens > 0 then
    table.insert(all, items.tokens(c.total.inputTokens + c.total.outputTokens) .. " tokens")
  end
  return table.concat(all, " · ")
end

--- 'winbar' of the conversation: what it is about, who answers, whom is asked.
---@return string
function M.winbar()
  local c = state.current()
  local session = c and c.session
  if not c or not session then
    return "%#DrawbridgePrompt# Drawbridge%*"
  end
  local cells = room()
  local right = facts(c, session, cells >= 70)
  local title = session.title ~= "" and session.title or "New conversation"
  title = items.cut(title, math.max(8, cells - vim.fn.strdisplaywidth(right) - 4))
  return ("%%#DrawbridgePrompt# %s%%*%%=%%#DrawbridgeMuted#%s %%*"):format(escaped(title), escaped(right))
end

--- That a command waits for typing, and what it said last.
---@param text string
---@return string
local function asked(text)
  local line = require("drawbridge.terminals").asks()
  return line and line ~= "" and text .. ": " .. line or text
end

--- What goes on while no turn does.
---@return string text
---@return string group
---@return string command
local function at_rest()
  local alone, waits = background()
  if waits then
    return asked("a command waits for typing"), "DrawbridgeWaiting", ":Drawbridge type"
  elseif alone > 0 then
    local commands = #state.alone() > 0
    return alone .. " in the background", "DrawbridgeRunning", commands and ":Drawbridge terminals" or ":Drawbridge subagents"
  elseif #require("drawbridge.trust").required() > 0 then
    return "untrusted settings", "DrawbridgeWaiting", ":Drawbridge trust"
  end
  return "", "DrawbridgeMuted", ""
end

--- What the conversation waits for, and what a person can do about it.
---@param c drawbridge.Conversation?
---@return string text
---@return string group
---@return string command
local function now(c)
  if not c then
    return at_rest()
  end
  local questions = state.questions()
  if #questions == 1 then
    local waited = reading.waited(questions[1].since)
    local since = waited and ("waits %s: "):format(waited) or ""
    local who = questions[1].origin and "  (a subagent)" or ""
    return "? " .. since .. questions[1].title .. who, "DrawbridgeWaiting", ":Drawbridge approvals"
  elseif #questions > 1 then
    return ("? %d questions"):format(#questions), "DrawbridgeWaiting", ":Drawbridge approvals"
  elseif not c.turnId then
    return at_rest()
  end
  local s = c.state
  if s.state == "input" then
    return asked("a command waits for typing"), "DrawbridgeWaiting", ":Drawbridge type"
  elseif s.state == "retry" then
    local cause = s.detail ~= "" and (": " .. s.detail) or ""
    return doing(s) .. cause, "DrawbridgeWaiting", ":Drawbridge stop"
  end
  local since = items.duration(math.max(0, vim.uv.hrtime() / 1e6 - s.since))
  return ("%s %s"):format(doing(s), since), "DrawbridgeRunning", ":Drawbridge stop"
end

---@param key string
---@return string
local function spoken(key)
  local name = vim.keycode(key) == "\r" and "Enter" or key:gsub("^<[cC]%-(%a)>$", function(letter)
    return "Ctrl-" .. letter:upper()
  end)
  return escaped(name)
end

--- The key that sends in the mode the prompt is in, and how one comes to type.
---@return string
local function sending()
  local keys = require("drawbridge.config").get().prompt
  local here = tonumber(vim.g.actual_curwin) == vim.api.nvim_get_current_win()
  local insert = here and vim.api.nvim_get_mode().mode:sub(1, 1) == "i"
  local key = keys[insert and "submit_insert" or "submit_normal"]
  if insert then
    return key and spoken(key --[[@as string]]) .. " sends" or "Esc ends typing"
  end
  return (key and spoken(key --[[@as string]]) .. " sends, " or "") .. "i types"
end

--- 'winbar' of the prompt: what goes on and how to send, always in sight.
---@return string
function M.prompt_bar()
  local text, group, command = now(state.current())
  local keys = sending()
  if text == "" then
    return ("%%#DrawbridgeMuted# %s%%*"):format(keys)
  end
  local cells = room()
  local both = ("%s · %s"):format(keys, command)
  local right = (cells >= 70 or vim.fn.strdisplaywidth(text .. both) <= cells - 4) and both or command
  if group == "DrawbridgeWaiting" and vim.fn.strdisplaywidth(text .. right) > cells - 4 then
    right = #state.questions() > 0 and command or "" -- the cause of a wait is worth more than how to end it
  end
  local left = items.cut(text, math.max(8, cells - vim.fn.strdisplaywidth(right) - 4))
  return ("%%#%s# %s%%*%%=%%#DrawbridgeKey#%s %%*"):format(group, escaped(left), right)
end

state.on_change(function(_, what)
  if vim.list_contains({ "state", "approvals", "turn", "session", "terminal", "subagent" }, what.kind) then
    vim.schedule(function()
      vim.cmd("redrawstatus!")
    end)
  end
end)

return M
