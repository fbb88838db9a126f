--- What the person, and a folder that is trusted, have said beforehand: a page with
--- each rule, where it is from and where it stands. A remembered yes is forgotten
--- there; what stands in a file is changed in that file.

local client = require("drawbridge.client")
local own = require("drawbridge.own")
local say = require("drawbridge.say")
local sessions = require("drawbridge.sessions")
local visible = require("drawbridge.visible")
local window = require("drawbridge.window")
require("drawbridge.highlights")

local M = {}

local namespace = vim.api.nvim_create_namespace("drawbridge_rules")

--- How each source is spoken of.
---@type table<drawbridge.RuleSource, string>
local sources = {
  factory = "built in",
  user = "your settings",
  flag = "a flag",
  repository = "this folder's settings",
  grantUser = "remembered, always",
  grantWorkspace = "remembered, in this workspace",
  grantSession = "remembered, for this session",
}

---@type table<drawbridge.Verdict, string>
local groups = { deny = "DrawbridgeDeny", ask = "DrawbridgeAsk", allow = "DrawbridgeAllow" }

---@type integer?
local buffer
---@type string?
local session_id
--- What each line of the page is about.
---@type table<integer, drawbridge.Rule>
local lines = {}

---@param rule drawbridge.Rule
---@return boolean
local function remembered(rule)
  return vim.startswith(rule.source, "grant")
end

---@param path string
---@return string
local function short(path)
  return vim.fn.fnamemodify(path, ":~")
end

-- Columns are as wide as what is in them, up to a bound.
---@param rules drawbridge.Rule[]
---@return integer
local function width(rules)
  local widest = 8
  for _, rule in ipairs(rules) do
    widest = math.max(widest, vim.fn.strdisplaywidth(visible.text(rule.rule)))
  end
  return math.min(widest, 40)
end

---@param text string
---@param cells integer
---@return string
local function padded(text, cells)
  return text .. (" "):rep(cells - vim.fn.strdisplaywidth(text))
end

---@param rule drawbridge.Rule
---@param cells integer
---@return string
local function entry(rule, cells)
  local where = rule.where and rule.where ~= "" and "  " .. visible.text(short(rule.where)) or ""
  local problem = rule.problem and rule.problem ~= "" and "  does not count: " .. visible.text(rule.problem) or ""
  local source = sources[rule.source] or rule.source
  return ("%-5s  %s  %s%s%s"):format(rule.verdict, padded(visible.text(rule.rule), cells), source, where, problem)
end

---@param b integer
---@param rules drawbridge.Rule[]
local function write(b, rules)
  local text, cells = {}, width(rules)
  lines = {}
  for i, rule in ipairs(rules) do
    text[i], lines[i] = entry(rule, cells), rule
  end
  vim.bo[b].modifiable = true
  vim.api.nvim_buf_set_lines(b, 0, -1, false, #text > 0 and text or { "There is no rule, and nothing is remembered." })
  vim.bo[b].modifiable = false
  vim.api.nvim_buf_clear_namespace(b, namespace, 0, -1)
  for i, rule in ipairs(rules) do
    local bad = rule.problem and rule.problem ~= ""
    local group = bad and "DrawbridgeError" or groups[rule.verdict] or "DrawbridgeMuted"
    vim.api.nvim_buf_set_extmark(b, namespace, i - 1, 0, { end_col = bad and #text[i] or #rule.verdict, hl_group = group })
  end
end

-- Asks anew what there is, and calls back when the page has it.
---@param cb? fun()
local function refresh(cb)
  client.request("rules/list", { sessionId = session_id }, function(err, result)
    if err or not result then
      say.failure(err or { message = "the bridge lists no rules" })
    elseif own.whole(buffer) then
      write(assert(buffer), result.rules)
      if cb then
        cb()
      end
    end
  end)
end

---@return drawbridge.Rule?
local function here()
  return lines[vim.api.nvim_win_get_cursor(0)[1]]
end

-- Reads FILE, FILE:LINE or FILE:LINE:COLUMN.
---@param where string
---@return string path
---@return integer line
---@return integer column From 1, as the bridge counts.
local function place(where)
  local path, line, column = where:match("^(.-):(%d+):(%d+)$")
  if not path then
    path, line = where:match("^(.+):(%d+)$")
  end
  return path or where, tonumber(line) or 1, tonumber(column) or 1
end

-- Goes to where a rule stands.
local function jump()
  local rule = here()
  if not rule then
    return
  end
  local path, line, column = place(rule.where or "")
  if path:sub(1, 2) == "~/" then
    path = vim.fs.normalize(path)
  end
  if not vim.uv.fs_stat(path) then
    say.info(("that rule stands in no file: %s"):format(sources[rule.source] or rule.source))
    return
  end
  window.to_work()
  vim.cmd.edit(vim.fn.fnameescape(path))
  local last = vim.api.nvim_buf_line_count(0)
  vim.api.nvim_win_set_cursor(0, { math.max(1, math.min(line, last)), math.max(0, column - 1) })
end

-- Forgets the remembered yes under the cursor.
local function forget()
  local rule = here()
  if not rule then
    return
  elseif not remembered(rule) then
    say.info("that is no remembered yes: Enter goes to where it stands, if that is a file")
    return
  end
  client.request("rules/forget", { sessionId = session_id, rule = rule.rule, source = rule.source }, function(err, result)
    if err then
      say.failure(err)
      return
    end
    local gone = result and result.forgotten
    refresh(function()
      say.info((gone and "forgotten: " or "it was forgotten already: ") .. visible.text(rule.rule))
    end)
  end)
end

---@return integer
local function make()
  local b = own.make("drawbridge://rules", { read = function()
    refresh()
  end })
  buffer = b
  vim.bo[b].undolevels = -1
  vim.bo[b].modifiable = false
  vim.bo[b].filetype = "drawbridge-rules"
  for key, act in pairs({
    ["<CR>"] = { jump, "go to where this rule stands" },
    d = { forget, "forget this remembered yes" },
    R = { refresh, "look again" },
  }) do
    vim.keymap.set("n", key, function()
      act[1]()
    end, { buffer = b, nowait = true, desc = "Drawbridge: " .. act[2] })
  end
  return b
end

local function show()
  local b = own.whole(buffer) and assert(buffer) or make()
  local win = vim.fn.win_findbuf(b)[1]
  if win then
    vim.api.nvim_set_current_win(win)
    return
  end
  win = window.split_below(b, 12)
  vim.wo[win].wrap, vim.wo[win].cursorline, vim.wo[win].winfixheight = false, true, true
  window.bar(win, "rules", {
    "Enter: where it stands · d: forget a remembered yes · R: look again · :q",
    "Enter: go there · d: forget · R: look again",
    "Enter · d · R",
  })
end

--- Shows the rules that the conversation goes by.
function M.open()
  sessions.ensure(function(err, id)
    if err or not id then
      say.failure(err or { message = "no session" })
      return
    end
    session_id = id
    show()
    refresh()
  end)
end

-- A page that is in sight follows what is remembered.
client.on("approval/resolved", function(event)
  if event.sessionId == session_id and own.whole(buffer) and #vim.fn.win_findbuf(buffer) > 0 and not event.replayed then
    refresh()
  end
end)

return M
