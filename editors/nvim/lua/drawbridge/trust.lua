--- Settings that a folder brings. They do not count until the person trusts exactly
--- them: a page shows all that they would do, to the letter, and a yes counts only for
--- what this page has shown. Nothing opens by itself and nothing waits for the answer.

local client = require("drawbridge.client")
local own = require("drawbridge.own")
local reading = require("drawbridge.visible")
local say = require("drawbridge.say")
local state = require("drawbridge.state")
local window = require("drawbridge.window")
require("drawbridge.highlights")

local M = {}

local namespace = vim.api.nvim_create_namespace("drawbridge_trust")

--- A page younger than this, in ms, was not read.
local unread_ms = 1000

--- What waits for an answer, by folder.
---@type table<string, drawbridge.TrustRequired>
local waiting = {}
--- Digests that the person was told of.
---@type table<string, true>
local told = {}
--- What the page shows, and since when.
---@type { required: drawbridge.TrustRequired, at: number }?
local shown
---@type integer?
local buffer

--- What waits for an answer, by the name of the folder.
---@return drawbridge.TrustRequired[]
function M.required()
  local all = vim.tbl_values(waiting)
  table.sort(all, function(a, b)
    return a.workspace < b.workspace
  end)
  return all
end

---@param required drawbridge.TrustRequired
---@return string
local function key(required)
  return required.workspace .. "\n" .. required.digest
end

---@class (exact) drawbridge.TrustPage
---@field lines string[]
---@field groups table<integer, string> By line, from 1.

---@param page drawbridge.TrustPage
---@param text string
---@param group? string
---@param indent? string Before every line of it.
local function add(page, text, group, indent)
  for _, line in ipairs(reading.lines(text)) do
    table.insert(page.lines, (indent or "") .. line)
    page.groups[#page.lines] = group
  end
end

---@param item drawbridge.TrustItem
---@param page drawbridge.TrustPage
local function add_item(item, page)
  add(page, ("%-12s %s"):format(item.kind, (item.what:gsub("%s*\n%s*", " ⏎ "))), "DrawbridgeTool", "  ")
  if item.command and item.command ~= "" then
    add(page, "runs:", "DrawbridgeWaiting", (" "):rep(15))
    add(page, item.command, nil, (" "):rep(17))
  end
end

---@param required drawbridge.TrustRequired
---@return drawbridge.TrustPage
local function page_of(required)
  ---@type drawbridge.TrustPage
  local page = { lines = {}, groups = {} }
  add(page, "Settings that this folder brings: " .. required.workspace, "DrawbridgePrompt")
  add(page, "They do not count until you trust exactly them; when a byte changes you are asked again.", "DrawbridgeMuted")
  if required.changed then
    add(page, "They have changed since you answered about them last.", "DrawbridgeWaiting")
  end
  add(page, "")
  add(page, "From:")
  for _, file in ipairs(required.files) do
    add(page, file, nil, "  ")
  end
  add(page, "")
  add(page, "They would do this:")
  for _, item in ipairs(required.items) do
    add_item(item, page)
  end
  if #required.items == 0 then
    add(page, "  nothing")
  end
  return page
end

---@return integer? buf
local function write()
  local b = own.whole(buffer) and buffer or nil
  if not b or not shown then
    return nil
  end
  local page = page_of(shown.required)
  vim.bo[b].modifiable = true
  vim.api.nvim_buf_set_lines(b, 0, -1, false, page.lines)
  vim.bo[b].modifiable = false
  vim.api.nvim_buf_clear_namespace(b, namespace, 0, -1)
  for i, group in pairs(page.groups) do
    vim.api.nvim_buf_set_extmark(b, namespace, i - 1, 0, { end_col = #page.lines[i], hl_group = group })
  end
  return b
end

---@return integer
local function make()
  local b = own.make("drawbridge://trust", { read = function()
    write()
  end })
  buffer = b
  vim.bo[b].filetype = "drawbridge-trust"
  vim.bo[b].undolevels = -1
  return b
end

-- Shows what waits. Looking at the same text again does not make it unread.
---@param required drawbridge.TrustRequired
local function show(required)
  if not own.whole(buffer) then
    make()
  end
  local b = assert(buffer)
  local win = vim.fn.win_findbuf(b)[1]
  if not win or not shown or key(shown.required) ~= key(required) then
    shown = { required = required, at = vim.uv.hrtime() / 1e6 }
  end
  write()
  if win then
    vim.api.nvim_set_current_win(win)
    return
  end
  win = window.split_below(b, math.min(vim.api.nvim_buf_line_count(b) + 2, math.floor(vim.o.lines * 2 / 3)))
  vim.wo[win].wrap = true
  window.bar(win, "trust", {
    "they count: :Drawbridge trust yes · they never do: :Drawbridge trust no · later: :q",
    ":Drawbridge trust yes · :Drawbridge trust no · :q",
    ":Drawbridge trust yes, no",
  })
end

local function leave()
  if own.whole(buffer) then
    pcall(vim.api.nvim_buf_delete, buffer, { force = true })
  end
  shown = nil
end

---@param required drawbridge.TrustRequired
---@param trust drawbridge.Trust
local function answer(required, trust)
  client.request("trust/answer", {
    workspace = required.workspace,
    digest = required.digest,
    trust = trust,
  }, function(err)
    if err and err.kind == "stale" then
      say.warn("the settings have changed since; nothing was answered, :Drawbridge trust shows them anew")
      M.look()
      return
    elseif err then
      say.failure(err)
      return
    end
    if waiting[required.workspace] and key(waiting[required.workspace]) == key(required) then
      waiting[required.workspace] = nil
    end
    leave()
    say.info(trust == "yes" and "trusted, as they are now; they count from the next decision on" or "they do not count")
    vim.cmd("redrawstatus!")
  end)
end

-- The one that is meant: the only one, or one from the list.
---@param cb fun(required: drawbridge.TrustRequired)
local function meant(cb)
  local all = M.required()
  if #all == 0 then
    say.info("no folder brings settings that you have not answered about")
  elseif #all == 1 then
    cb(all[1])
  else
    vim.ui.select(all, {
      prompt = "Settings of which folder",
      kind = "drawbridge.trust",
      format_item = function(required)
        return required.workspace
      end,
    }, function(required)
      if required then
        cb(required)
      end
    end)
  end
end

-- What the page shows, while that still waits.
---@return drawbridge.TrustRequired?
local function on_page()
  local now = own.whole(buffer) and #vim.fn.win_findbuf(buffer) > 0 and shown or nil
  return now and waiting[now.required.workspace] and now.required or nil
end

-- A yes counts for what was seen: without that it shows it.
local function yes()
  local required = on_page()
  if not required then
    meant(function(r)
      show(r)
      say.warn("read this first, then :Drawbridge trust yes")
    end)
  elseif vim.uv.hrtime() / 1e6 - assert(shown).at < unread_ms then
    say.warn("this came just now; read it first, then :Drawbridge trust yes")
  else
    answer(required, "yes")
  end
end

--- Shows what waits, or answers it.
---@param word? string yes, no or show
function M.run(word)
  if word == "yes" then
    yes()
  elseif word == "no" then
    local required = on_page()
    if required then
      answer(required, "no")
    else
      meant(function(r)
        answer(r, "no")
      end)
    end
  elseif not word or word == "show" then
    meant(show)
  else
    say.error(("there is no :Drawbridge trust %s; it takes yes, no or show"):format(word))
  end
end

---@param required drawbridge.TrustRequired
local function take(required)
  waiting[required.workspace] = required
  if shown and shown.required.workspace == required.workspace and key(shown.required) ~= key(required) then
    -- Other text takes the page's place and was not read yet.
    shown = { required = required, at = vim.uv.hrtime() / 1e6 }
    write()
  end
  if not told[key(required)] then
    told[key(required)] = true
    local what = required.changed and "settings of this folder have changed" or "this folder brings settings of its own"
    say.warn(":Drawbridge trust  " .. what .. ", which do not count")
  end
  vim.cmd("redrawstatus!")
end

--- Asks the bridge what waits.
function M.look()
  client.request("trust/list", nil, function(err, result)
    if not result or err then
      return -- an older bridge, which reads no such settings
    end
    waiting = {}
    for _, required in ipairs(result.required) do
      take(required)
    end
    vim.cmd("redrawstatus!")
  end)
end

client.on("trust/required", function(params)
  take(params)
end)

client.on("drawbridge/ready", M.look)

client.on("drawbridge/exited", function()
  waiting, told = {}, {}
end)

state.on_change(function(_, what)
  if what.kind == "current" then
    vim.cmd("redrawstatus!")
  end
end)

return M
