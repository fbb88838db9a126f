-- Where a change is looked at: the file's own buffer where there is one to
-- have, else a virtual document. Virtual documents are never files: writing one
-- says so and names the real file, and they go when what they show is settled.

local changes = require("drawbridge.review.changes")
local client = require("drawbridge.client")
local say = require("drawbridge.say")

local M = {}

---@class (exact) drawbridge.VirtualDocument
---@field name string What follows drawbridge:// in its name.
---@field lines string[]
---@field path string The real file, for its syntax and for messages.
---@field why string What writing it answers.

-- Buffers of files that do not exist, yet or any more, by review.
---@type table<string, integer>
local absent = {}

---@param path string
---@return string
function M.short(path)
  return vim.fn.fnamemodify(path, ":~:.")
end

-- The lines of a text; a last line break ends a line and begins none.
---@param text string
---@return string[]
function M.lines(text)
  if text == "" then
    return {}
  end
  local lines = vim.split(text, "\n", { plain = true })
  if lines[#lines] == "" then
    lines[#lines] = nil
  end
  for i, line in ipairs(lines) do
    lines[i] = line:gsub("\r$", ""):gsub("%z", "\n")
  end
  return lines
end

-- Colours without the file type: a FileType event would start language servers
-- and whatever else is meant for real files.
---@param buf integer
---@param path string
local function colour(buf, path)
  local ft = vim.filetype.match({ filename = path, buf = buf })
  if not ft then
    return
  end
  local lang = vim.treesitter.language.get_lang(ft)
  if not (lang and pcall(vim.treesitter.start, buf, lang)) then
    vim.bo[buf].syntax = ft
  end
end

---@param buf integer
---@param name string
local function call(buf, name)
  for i = 1, 100 do
    if pcall(vim.api.nvim_buf_set_name, buf, "drawbridge://" .. name .. (i > 1 and "#" .. i or "")) then
      return
    end
  end
end

--- Makes a buffer that is no file. Its text is the bridge's; nobody types in it.
---@param document drawbridge.VirtualDocument
---@return integer buf
function M.virtual(document)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].buftype = "acwrite"
  vim.bo[buf].bufhidden = "hide"
  vim.bo[buf].swapfile = false
  vim.bo[buf].undolevels = -1
  call(buf, document.name)
  vim.api.nvim_create_autocmd("BufWriteCmd", {
    buffer = buf,
    callback = function()
      vim.bo[buf].modified = false
      say.warn(document.why)
    end,
  })
  M.fill(buf, document.lines)
  colour(buf, document.path)
  return buf
end

--- Puts the bridge's text into a virtual document.
---@param buf integer
---@param lines string[]
function M.fill(buf, lines)
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  vim.bo[buf].modified = false
end

--- The buffer that holds a file, when one is loaded.
---@param path string
---@return integer?
function M.loaded(path)
  local real = vim.uv.fs_realpath(path) or path
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype == "" then
      local name = vim.api.nvim_buf_get_name(buf)
      if name ~= "" and (name == path or (vim.uv.fs_realpath(name) or name) == real) then
        return buf
      end
    end
  end
end

-- A file that is not there as the change leaves it: what it would hold, or nothing.
---@param review drawbridge.Review
---@return integer buf
local function absent_file(review)
  local text = {}
  for _, hunk in ipairs(review.hunks) do
    text[#text + 1] = hunk.newText
  end
  local lines = M.lines(table.concat(text))
  local buf = absent[review.key]
  if buf and vim.api.nvim_buf_is_valid(buf) then
    M.fill(buf, lines)
    return buf
  end
  local short, deleted = M.short(review.path), review.kind == "delete"
  buf = M.virtual({
    name = (deleted and "deleted/" or "new/") .. short,
    lines = lines,
    path = review.path,
    why = deleted and short .. " was deleted. :Drawbridge reject brings it back."
      or short .. " does not exist yet. Accept it with :Drawbridge accept! or look at it with :Drawbridge edit.",
  })
  absent[review.key] = buf
  return buf
end

---@param path string
---@return integer? buf, string? err
local function load(path)
  local buf = vim.fn.bufadd(path)
  -- A swap file must not stop the editor with a dialog nobody asked for.
  local shortmess = vim.o.shortmess
  vim.opt.shortmess:append("A")
  local ok, err = pcall(vim.fn.bufload, buf)
  vim.o.shortmess = shortmess
  if not ok then
    return nil, tostring(err)
  end
  vim.bo[buf].buflisted = true
  vim.b[buf].drawbridge_opened = true
  return buf
end

--- The buffer a review has now, without making one.
---@param review drawbridge.Review
---@return integer?
function M.existing(review)
  local buf = absent[review.key]
  if buf and vim.api.nvim_buf_is_valid(buf) then
    return buf
  end
  return M.loaded(review.path)
end

--- Whether a buffer holds what the change makes of the file, not what it was
--- made from.
---@param review drawbridge.Review
---@param buf integer
---@return boolean
function M.holds_new(review, buf)
  return not review.approvalId or absent[review.key] == buf
end

--- The buffer to review in, made or loaded where it has to be.
---@param review drawbridge.Review
---@return integer? buf, string? err
function M.of(review)
  local buf = M.loaded(review.path)
  if buf then
    return buf
  end
  local gone = review.kind == "delete" and not review.approvalId and not vim.uv.fs_stat(review.path)
  if gone or (review.approvalId and review.kind == "create") then
    return absent_file(review)
  end
  return load(review.path)
end

---@param win integer
---@return boolean
local function ordinary(win)
  local buf = vim.api.nvim_win_get_buf(win)
  return vim.api.nvim_win_get_config(win).relative == ""
    and not vim.wo[win].previewwindow
    and (vim.bo[buf].buftype == "" or vim.list_contains(vim.tbl_values(absent), buf))
    and vim.bo[buf].filetype ~= "drawbridge"
end

-- A window for a file: one that shows it, this one, the one before, any; only
-- then a new one beside the conversation.
---@param buf integer
---@return integer?
local function window(buf)
  local wins = vim.api.nvim_tabpage_list_wins(0)
  if vim.b.drawbridge_review then
    -- A diff has its tab for itself; files are in the others.
    wins = vim.tbl_filter(function(win)
      return not vim.b[vim.api.nvim_win_get_buf(win)].drawbridge_review
    end, vim.api.nvim_list_wins())
  end
  for _, win in ipairs(wins) do
    if vim.api.nvim_win_get_buf(win) == buf then
      return win
    end
  end
  local before = vim.fn.win_getid(vim.fn.winnr("#"))
  for _, win in ipairs(vim.list_extend({ vim.api.nvim_get_current_win(), before }, wins)) do
    if win ~= 0 and vim.api.nvim_win_is_valid(win) and ordinary(win) then
      return win
    end
  end
end

--- Shows a buffer and goes to it. Unsaved text elsewhere is never in the way.
---@param buf integer
---@return integer win
function M.show(buf)
  local win = window(buf)
  if not win then
    vim.cmd(vim.b.drawbridge_review and "tabnew" or "topleft vsplit")
    win = vim.api.nvim_get_current_win()
    vim.wo[win].winfixwidth, vim.wo[win].winfixheight = false, false
  end
  vim.api.nvim_set_current_win(win)
  if vim.api.nvim_win_get_buf(win) ~= buf then
    local ok = pcall(vim.api.nvim_win_set_buf, win, buf)
    if not ok then -- 'nohidden' with unsaved text, or a window kept for its buffer
      vim.cmd("split")
      win = vim.api.nvim_get_current_win()
      vim.api.nvim_win_set_buf(win, buf)
    end
  end
  return win
end

---@param win integer
---@param buf integer
local function leave(win, buf)
  local alternate = vim.api.nvim_win_call(win, function()
    return vim.fn.bufnr("#")
  end)
  if alternate <= 0 or alternate == buf or not vim.api.nvim_buf_is_valid(alternate) then
    alternate = vim.api.nvim_create_buf(true, false)
  end
  vim.api.nvim_win_set_buf(win, alternate)
end

--- Wipes a virtual document; its windows show the file when there is one now,
--- else what they showed before.
---@param buf integer
---@param path? string
function M.wipe(buf, path)
  if not vim.api.nvim_buf_is_valid(buf) then
    return
  end
  local file = path and vim.uv.fs_stat(path) and load(path)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    if file then
      pcall(vim.api.nvim_win_set_buf, win, file)
    else
      pcall(leave, win, buf)
    end
  end
  pcall(vim.api.nvim_buf_delete, buf, { force = true })
end

--- Takes the buffer of a file away that is not there any more, unless it holds unsaved
--- text.
---@param path string
function M.let_go(path)
  local buf = not vim.uv.fs_stat(path) and M.loaded(path)
  if buf and not vim.bo[buf].modified then
    M.wipe(buf)
  end
end

---@param key string
---@param path? string
local function forget(key, path)
  local buf = absent[key]
  absent[key] = nil
  if buf then
    M.wipe(buf, path)
  end
end

changes.watch(function(review, gone)
  if not gone then
    local buf = absent[review.key]
    if buf and review.approvalId and vim.api.nvim_buf_is_valid(buf) then
      absent_file(review) -- asked anew: show what it says now
    end
  elseif review.outcome ~= "allowed" then
    forget(review.key, review.kind == "delete" and review.path or nil)
  end
end)

-- An accepted new file exists from here on: its windows go over to it. Of one that was
-- taken back nothing is left, and its text is no document that the agent could read.
---@param event drawbridge.ChangeUpdated
---@param path string
local function created(event, path)
  local made = event.state == "applied" or event.state == "partly"
  forget(changes.key(event.sessionId, event.changeId), made and path or nil)
  if not made then
    M.let_go(path)
  end
end

client.on("change/updated", function(event)
  if event.replayed or event.state == "proposed" then
    return
  end
  local path = vim.uri_to_fname(event.uri)
  if event.kind == "create" then
    created(event, path)
  elseif event.kind == "delete" and event.state == "reverted" then
    require("drawbridge.documents").brought_back(path)
  end
end)

return M
