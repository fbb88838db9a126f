--- The open files, as the bridge sees them: which are told to it, how its edits
--- go into them, and how they are saved before a command runs.

local client = require("drawbridge.client")
local disk = require("drawbridge.disk")
local reread = require("drawbridge.reread")
local say = require("drawbridge.say")
local told = require("drawbridge.told")

local M = {}

local group = vim.api.nvim_create_augroup("drawbridge.documents", { clear = true })

---@param path string
---@return string
local function real(path)
  return vim.uv.fs_realpath(path) or path
end

---@param path string
---@param root string
---@return boolean
local function below(path, root)
  return path == root or vim.startswith(path, root == "/" and root or root .. "/")
end

--- Whether a buffer is a file of the workspace. One outside it is nobody's
--- business but the user's.
---@param bufnr integer
---@param root string
---@return boolean
function M.is_document(bufnr, root)
  if not vim.api.nvim_buf_is_loaded(bufnr) or vim.bo[bufnr].buftype ~= "" then
    return false
  end
  local name = vim.api.nvim_buf_get_name(bufnr)
  if name == "" or name:find("^%a[%w+.-]+://") then
    return false
  end
  name = vim.fs.normalize(name, { expand_env = false })
  return below(name, root) or below(real(name), real(root))
end

---@param client_id integer
---@param root string
function M.attach_all(client_id, root)
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if M.is_document(bufnr, root) then
      vim.lsp.buf_attach_client(bufnr, client_id)
    end
  end
end

---@param bufnr integer
local function attach(bufnr)
  local id, root = client.client_id(), client.root()
  if id and root and vim.api.nvim_buf_is_valid(bufnr) and M.is_document(bufnr, root) then
    vim.lsp.buf_attach_client(bufnr, id)
  end
end

-- Scheduled, so that the file's type is known by then.
vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile", "BufFilePost" }, {
  group = group,
  desc = "drawbridge: tell the bridge of the file",
  callback = function(args)
    vim.schedule(function()
      attach(args.buf)
    end)
  end,
})

vim.api.nvim_create_autocmd("BufFilePre", {
  group = group,
  desc = "drawbridge: the file is closed under its old name",
  callback = function(args)
    local id = client.client_id()
    if id and vim.lsp.buf_is_attached(args.buf, id) then
      vim.lsp.buf_detach_client(args.buf, id)
    end
  end,
})

--- The loaded buffer of a document, without making one.
---@param uri string However it is spelled.
---@return integer?
function M.buffer(uri)
  local id = client.client_id()
  return told.buffer(told.path(uri), function(bufnr)
    return not id or vim.lsp.buf_is_attached(bufnr, id)
  end)
end

--- The agreed way to count columns.
---@return string
function M.encoding()
  local id = client.client_id()
  local c = id and vim.lsp.get_client_by_id(id)
  return c and c.offset_encoding or "utf-16"
end

--- Ends the user's undo step, so that what follows is one of its own. Setting
--- 'undolevels' to itself is Vim's way to say so.
---@param bufnr integer
local function break_undo(bufnr)
  vim.api.nvim_buf_call(bufnr, function()
    vim.cmd("let &g:undolevels = &g:undolevels")
  end)
end

--- Neovim 0.10 puts a text that belongs behind the last line into lines of its
--- own, and makes one more of the line break it ends with.
---@param edits lsp.TextEdit[]
---@param bufnr integer
---@return lsp.TextEdit[]
local function ended(edits, bufnr)
  local count = vim.api.nvim_buf_line_count(bufnr)
  return vim.tbl_map(function(edit)
    if edit.range.start.line < count then
      return edit
    end
    return vim.tbl_extend("force", edit, { newText = (edit.newText:gsub("\r?\n$", "")) })
  end, edits)
end

--- Takings back that are under way: each buffer that was clean when they began, and its
--- b:changedtick as far as only the bridge has changed it since.
---@type table<table<integer, integer>, true>
local under_way = {}

--- Lines that an edit does not change are not touched: the cursors, marks and
--- folds in them stay where they are.
---@param edit { textDocument: lsp.OptionalVersionedTextDocumentIdentifier, edits: lsp.TextEdit[] }
---@return string? refusal
local function apply_document_edit(edit)
  local document = edit.textDocument
  local bufnr = M.buffer(document.uri)
  if not bufnr then
    return document.uri .. " is not open"
  end
  if not vim.bo[bufnr].modifiable then
    return document.uri .. " cannot be changed: 'modifiable' is off"
  end
  local version = document.version
  local have = client.version_of(document.uri)
  if type(version) == "number" and version ~= have then
    return ("%s is at version %s, the edit was made for %d"):format(document.uri, tostring(have), version)
  end
  local listed = vim.bo[bufnr].buflisted
  local before = vim.api.nvim_buf_get_changedtick(bufnr)
  break_undo(bufnr)
  vim.lsp.util.apply_text_edits(ended(edit.edits, bufnr), bufnr, M.encoding())
  break_undo(bufnr)
  for ticks in pairs(under_way) do
    ticks[bufnr] = ticks[bufnr] == before and vim.api.nvim_buf_get_changedtick(bufnr) or nil
  end
  vim.bo[bufnr].buflisted = listed
end

client.answer("workspace/applyEdit", function(params, respond)
  local edit = params.edit or {}
  local changes = edit.documentChanges or {}
  for uri, edits in pairs(edit.changes or {}) do
    table.insert(changes, { textDocument = { uri = uri }, edits = edits })
  end
  for i, change in ipairs(changes) do
    local refusal = change.kind and ("cannot " .. change.kind .. " files") or apply_document_edit(change)
    if refusal then
      respond({ applied = false, failureReason = refusal, failedChange = i - 1 })
      return
    end
  end
  respond({ applied = true })
end)

-- Where 'fixendofline' is on, a write ends the last line. Neither Neovim nor vim.lsp
-- tells anybody, so the bridge would take the file to differ from its text.
vim.api.nvim_create_autocmd("BufWritePre", {
  group = group,
  desc = "drawbridge: the last line is ended",
  callback = function(args)
    local id = client.client_id()
    local o = vim.bo[args.buf]
    if not id or o.endofline or o.binary or not o.fixendofline or not vim.lsp.buf_is_attached(args.buf, id) then
      return
    end
    if args.match == vim.api.nvim_buf_get_name(args.buf) then
      o.endofline = true
      client.notify("textDocument/didChange", told.whole(args.buf, vim.uri_from_bufnr(args.buf)))
    end
  end,
})

--- What went wrong in Neovim, without the places in the code where it did.
---@param err string
---@return string
local function reason(err)
  local line = err:match("Vim%([%w#_]+%):([^\n]*)") or err:match("E%d+: [^\n]*") or err:match("^[^\n]*")
  return (line:gsub("^Vim%([%w#_]+%):", ""):gsub("^%S+%.lua:%d+: ", ""))
end

--- Writes a buffer, unless that would need to be asked for.
---@param bufnr integer
---@return string? refusal
local function write(bufnr)
  if disk.has_changed(bufnr) then
    return "the file changed on the disk; in its window, :write! keeps your text and :edit! takes that of the disk"
  end
  -- With 'confirm' a refusal would be a dialog.
  local confirm = vim.o.confirm
  vim.o.confirm = false
  local ok, err = pcall(vim.api.nvim_buf_call, bufnr, function()
    vim.cmd("silent write")
  end)
  vim.o.confirm = confirm
  return not ok and reason(tostring(err)) or nil
end

---@param bufnr integer
local function write_or_say(bufnr)
  local refusal = write(bufnr)
  if refusal then
    local name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(bufnr), ":.")
    say.warn(("%s was not saved: %s"):format(name, refusal))
  end
end

--- Begins to take something back. A file that was opened for the review alone and has no
--- unsaved text was on the disk as it was shown, and so is what is taken back of it: what
--- is returned saves those, as long as nobody else has typed in them.
---@return fun() save
function M.saving()
  local ticks = {}
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.b[bufnr].drawbridge_opened and vim.api.nvim_buf_is_loaded(bufnr) and not vim.bo[bufnr].modified then
      ticks[bufnr] = vim.api.nvim_buf_get_changedtick(bufnr)
    end
  end
  under_way[ticks] = true
  return function()
    under_way[ticks] = nil
    for bufnr, tick in pairs(ticks) do
      local whole = vim.api.nvim_buf_is_loaded(bufnr) and vim.api.nvim_buf_get_changedtick(bufnr) == tick
      if whole and vim.bo[bufnr].modified then
        write_or_say(bufnr)
      end
    end
  end
end

--- A file was brought back that had been deleted while it was open.
---@param path string
function M.brought_back(path)
  local bufnr = told.buffer(path)
  if bufnr and vim.bo[bufnr].buftype == "" then
    reread.buffer(bufnr)
  end
end

client.answer("editor/save", function(params, respond)
  local bufnr = M.buffer(params.uri)
  if not bufnr then
    respond({ saved = false })
    return
  end
  if vim.bo[bufnr].modified then
    write_or_say(bufnr)
  end
  respond({ saved = not vim.bo[bufnr].modified })
end)

--- Reads files anew that a call may have changed, if they have no unsaved text. The
--- bridge asks for those that it knows of; it does not see everything that is open.
local function refresh()
  local root = client.root()
  if not root or vim.fn.getcmdwintype() ~= "" then
    return
  end
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if M.is_document(bufnr, root) then
      reread.buffer(bufnr)
    end
  end
end

client.on("toolCall/completed", function(params)
  if not params.replayed then
    refresh()
  end
end)

client.answer("editor/refresh", function(params, respond)
  local bufnr = M.buffer(params.uri)
  respond({ refreshed = bufnr ~= nil and reread.buffer(bufnr) })
end)

-- Which encoding a file is read or written with can change while it is open.
vim.api.nvim_create_autocmd({ "BufReadPost", "BufWritePost" }, {
  group = group,
  desc = "drawbridge: tell the bridge of the file's encoding",
  callback = function(args)
    client.tell_encoding(args.buf)
  end,
})

vim.api.nvim_create_autocmd("OptionSet", {
  group = group,
  pattern = "fileencoding",
  desc = "drawbridge: tell the bridge of the file's encoding",
  callback = function()
    client.tell_encoding(vim.api.nvim_get_current_buf())
  end,
})

client.answer("window/showDocument", function(params, respond)
  if params.external then
    respond({ success = false })
    return
  end
  local ok = pcall(vim.lsp.util.show_document, {
    uri = params.uri,
    range = params.selection or { start = { line = 0, character = 0 }, ["end"] = { line = 0, character = 0 } },
  }, M.encoding(), { reuse_win = true, focus = params.takeFocus == true })
  respond({ success = ok })
end)

-- The bridge asks this way only where it was not told that approvals are answered
-- here. vim.lsp's own handler would hold up the editor until there is an answer.
client.answer("window/showMessageRequest", function(params, respond)
  vim.ui.select(params.actions or {}, {
    prompt = params.message,
    format_item = function(action)
      return action.title
    end,
  }, function(choice)
    respond(choice or vim.NIL)
  end)
end)

return M
