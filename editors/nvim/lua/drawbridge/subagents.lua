--- The subagents of a conversation: a page that lists them, where one is shown or
--- stopped. What each does stands in the conversation, within the call that started it.

local client = require("drawbridge.client")
local own = require("drawbridge.own")
local say = require("drawbridge.say")
local sessions = require("drawbridge.sessions")
local state = require("drawbridge.state")
local visible = require("drawbridge.visible")
local window = require("drawbridge.window")
local words = require("drawbridge.subagents.words")
require("drawbridge.highlights")

local M = {}

local namespace = vim.api.nvim_create_namespace("drawbridge_subagents")

---@type integer?
local buffer
--- What each line of the page is about.
---@type drawbridge.Subagent[]
local lines = {}

--- Those of the conversation, oldest first.
---@return drawbridge.Subagent[]
local function all()
  local c = state.current()
  return vim.tbl_map(function(id)
    return c.subagents[id]
  end, c and c.subagentOrder or {})
end

--- What is completed.
---@return string[]
function M.ids()
  return vim.tbl_map(function(subagent)
    return subagent.subagentId
  end, all())
end

---@param id string
---@return drawbridge.Subagent?
local function find(id)
  return vim.iter(all()):find(function(subagent)
    return subagent.subagentId == id
  end)
end

-- How it stands goes first, as what it was started for may be long.
---@param subagent drawbridge.Subagent
---@return string
local function entry(subagent)
  local how = words.state(subagent)
  local model = subagent.model ~= "" and ("  (%s)"):format(visible.text(subagent.model)) or ""
  return ("%s  %s · %s%s"):format(words.name(subagent), how, words.title(subagent), model)
end

local function write()
  if not own.whole(buffer) then
    return
  end
  local b, text = assert(buffer), {}
  lines = all()
  for i, subagent in ipairs(lines) do
    text[i] = entry(subagent)
  end
  vim.bo[b].modifiable = true
  vim.api.nvim_buf_set_lines(b, 0, -1, false, #text > 0 and text or { "No subagent was started in this conversation." })
  vim.bo[b].modifiable = false
  vim.api.nvim_buf_clear_namespace(b, namespace, 0, -1)
  for i, subagent in ipairs(lines) do
    local _, group = words.state(subagent)
    vim.api.nvim_buf_set_extmark(b, namespace, i - 1, 0, { end_col = #words.name(subagent), hl_group = group })
  end
end

--- Shows what a subagent did; of one of an earlier run it is read first. It takes the
--- place of the list.
---@param subagent drawbridge.Subagent
local function show(subagent)
  local parent, listed = client.session(), vim.api.nvim_get_current_win()
  sessions.fetch(subagent.sessionId, function(err)
    if err then
      say.failure(err)
    elseif parent then
      if vim.api.nvim_win_is_valid(listed) and vim.api.nvim_win_get_buf(listed) == buffer then
        pcall(vim.api.nvim_win_close, listed, false) -- not where it is the last one
      end
      require("drawbridge.subagents.view").open(parent, subagent)
    end
  end)
end

---@param subagent drawbridge.Subagent
local function stop(subagent)
  if subagent.state == "ended" then
    say.info("that subagent has ended already")
    return
  end
  local params = { sessionId = client.session(), subagentId = subagent.subagentId }
  client.request("subagent/kill", params, function(err)
    if err then
      say.error("the subagent was not stopped: " .. err.message)
    else
      say.info(("%s was stopped; the model is told"):format(words.name(subagent)))
    end
  end)
end

---@return drawbridge.Subagent?
local function here()
  return lines[vim.api.nvim_win_get_cursor(0)[1]]
end

---@return integer
local function make()
  local b = own.make("drawbridge://subagents", { read = write })
  buffer = b
  vim.bo[b].undolevels = -1
  vim.bo[b].modifiable = false
  vim.bo[b].filetype = "drawbridge-subagents"
  for key, act in pairs({
    ["<CR>"] = { show, "show what this subagent does" },
    d = { stop, "stop this subagent" },
  }) do
    vim.keymap.set("n", key, function()
      local subagent = here()
      if subagent then
        act[1](subagent)
      end
    end, { buffer = b, nowait = true, desc = "Drawbridge: " .. act[2] })
  end
  return b
end

local function list()
  if #all() == 0 then
    say.info("no subagent was started in this conversation")
    return
  end
  local b = own.whole(buffer) and assert(buffer) or make()
  write()
  local win = vim.fn.win_findbuf(b)[1]
  if win then
    vim.api.nvim_set_current_win(win)
    return
  end
  win = window.split_below(b, math.min(#lines + 2, 12))
  vim.wo[win].wrap, vim.wo[win].cursorline, vim.wo[win].winfixheight = false, true, true
  window.bar(win, "subagents", {
    "Enter: what it does · d: stop it · :q",
    "Enter: show · d: stop",
    "Enter · d",
  })
end

--- Lists the subagents; shows what the named one does.
---@param id? string
function M.open(id)
  local subagent = id and find(id)
  if subagent then
    show(subagent)
  elseif id then
    say.warn("there is no subagent " .. id)
  else
    list()
  end
end

--- Stops the named one. The turn goes on, and its model is told.
---@param id string
function M.kill(id)
  local subagent = find(id)
  if subagent then
    stop(subagent)
  else
    say.warn("there is no subagent " .. id)
  end
end

state.on_change(function(_, what)
  if vim.list_contains({ "subagent", "current", "reset" }, what.kind) then
    vim.schedule(write)
  end
end)

return M
