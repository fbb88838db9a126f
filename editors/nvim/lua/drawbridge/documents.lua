--- The open files, as the bridge sees them: which are told to it, how its edits
--- go into them, and how they are saved before a command runs.

local client = require("drawbridge.client")

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
  name = vim.fs.normalize(name)
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
---@param uri string
---@return integer?
function M.buffer(uri)
  local id = client.client_id()
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) and vim.uri_from_bufnr(bufnr) == uri then
      if not id or vim.lsp.buf_is_attached(bufnr, id) then
        return bufnr
      end
    end
  end
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
  break_undo(bufnr)
  vim.lsp.util.apply_text_edits(ended(edit.edits, bufnr), bufnr, M.encoding())
  break_undo(bufnr)
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

client.answer("editor/save", function(params, respond)
  local bufnr = M.buffer(params.uri)
  if not bufnr then
    respond({ saved = false })
    return
  end
  if vim.bo[bufnr].modified then
    local ok, err = pcall(vim.api.nvim_buf_call, bufnr, function()
      vim.cmd("silent write")
    end)
    if not ok then
      local name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(bufnr), ":.")
      require("drawbridge.say").warn(("%s was not saved: %s"):format(name, err))
    end
  end
  respond({ saved = not vim.bo[bufnr].modified })
end)

--- Reads files anew that a command may have changed. Only those without unsaved
--- text: for these Neovim asks nothing.
local function refresh()
  local root = client.root()
  if not root or vim.fn.getcmdwintype() ~= "" then
    return
  end
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if M.is_document(bufnr, root) and not vim.bo[bufnr].modified then
      local name = vim.api.nvim_buf_get_name(bufnr)
      if vim.uv.fs_stat(name) then
        pcall(vim.cmd, "silent! checktime " .. bufnr)
      end
    end
  end
end

client.on("toolCall/completed", function(params)
  if not params.replayed then
    refresh()
  end
end)

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
