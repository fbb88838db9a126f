--- What the bridge was told of each open document: the version that its edits are
--- made for, the encoding of its file, and texts where vim.lsp's way of telling a
--- change goes wrong.

local encodings = require("drawbridge.encodings")

local M = {}

---@class drawbridge.ToldDocument
---@field version integer
---@field bufnr? integer
---@field blank boolean The text was one empty line.

---@class drawbridge.Told
---@field private documents table<string, drawbridge.ToldDocument> By path, since a URI can be spelled in many ways.
---@field private encodings table<string, string> By path, of files that are not known to be UTF-8; also when they are closed.
local Told = {}
Told.__index = Told

---@return drawbridge.Told
function M.new()
  return setmetatable({ documents = {}, encodings = {} }, Told)
end

--- The path that a URI names.
---@param uri string
---@return string
function M.path(uri)
  return vim.fs.normalize(vim.uri_to_fname(uri), { expand_env = false })
end

--- The loaded buffer of a path, without making one.
---@param path string
---@param fits? fun(bufnr: integer): boolean
---@return integer?
function M.buffer(path, fits)
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) then
      local name = vim.api.nvim_buf_get_name(bufnr)
      if name ~= "" and (name == path or vim.fs.normalize(name, { expand_env = false }) == path) then
        if not fits or fits(bufnr) then
          return bufnr
        end
      end
    end
  end
end

--- The version of a document that the bridge was last told of.
---@param uri string
---@return integer? version nil when it is not open there
function Told:version(uri)
  local document = self.documents[M.path(uri)]
  return document and document.version
end

--- What is to be told of a document's encoding, which counts as told from then on.
--- That a file is UTF-8 is no news, unless it was another one.
---@param uri string
---@return drawbridge.DocumentEncodingParams?
function Told:encoding(uri)
  local path = M.path(uri)
  local document = self.documents[path]
  if not document or not document.bufnr or not vim.api.nvim_buf_is_loaded(document.bufnr) then
    return nil
  end
  local encoding = encodings.of(document.bufnr)
  if encoding ~= (self.encodings[path] or "utf-8") then
    self.encodings[path] = encoding
    return { uri = uri, encoding = encoding }
  end
end

---@param bufnr integer?
---@return boolean
local function is_blank(bufnr)
  return bufnr ~= nil
    and vim.api.nvim_buf_is_loaded(bufnr)
    and vim.api.nvim_buf_line_count(bufnr) == 1
    and vim.api.nvim_buf_get_lines(bufnr, 0, 1, false)[1] == ""
end

--- A notification as it is to be sent.
---@param method string
---@param params any
---@return any params
function Told:pass(method, params)
  if method == "textDocument/didOpen" then
    local path = M.path(params.textDocument.uri)
    local bufnr = M.buffer(path)
    self.documents[path] = { version = params.textDocument.version, bufnr = bufnr, blank = is_blank(bufnr) }
  elseif method == "textDocument/didClose" then
    self.documents[M.path(params.textDocument.uri)] = nil
  elseif method == "textDocument/didChange" then
    return self:change(params)
  end
  return params
end

--- A text that becomes one empty line, or was one, is told whole: Neovim counts no
--- line in it where vim.lsp counts one, and the changes that come of that are wrong.
--- Versions only ever grow; that of a buffer stays when but its last line end changes.
---@private
---@param params lsp.DidChangeTextDocumentParams
---@return lsp.DidChangeTextDocumentParams
function Told:change(params)
  local document = self.documents[M.path(params.textDocument.uri)]
  if not document then
    return params
  end
  document.version = math.max(params.textDocument.version, document.version + 1)
  local blank = is_blank(document.bufnr)
  local changes = params.contentChanges
  if document.bufnr and (blank or document.blank) then
    changes = { { text = vim.lsp._buf_get_full_text(document.bufnr) } }
  end
  document.blank = blank
  -- A copy: other servers are sent the same tables.
  return {
    textDocument = { uri = params.textDocument.uri, version = document.version },
    contentChanges = changes,
  }
end

--- The whole text of a document, told when it changed in a way that Neovim tells
--- nobody of.
---@param bufnr integer
---@param uri string
---@return lsp.DidChangeTextDocumentParams
function M.whole(bufnr, uri)
  return {
    textDocument = { uri = uri, version = 0 },
    contentChanges = { { text = vim.lsp._buf_get_full_text(bufnr) } },
  }
end

return M
