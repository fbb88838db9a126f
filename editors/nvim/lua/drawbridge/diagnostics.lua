--- What language servers and linters say of a document, for the agent: what an edit
--- brought about or mended. The bridge's own words are left out.

local client = require("drawbridge.client")
local documents = require("drawbridge.documents")

local M = {}

--- How long nothing new must have been said, in ms, for all to count as said.
local quiet_ms = 100
--- A buffer that was waited for in vain so often is not waited for any more.
local patience = 2

---@class drawbridge.Looked When a buffer was last spoken of.
---@field tick? integer The buffer's b:changedtick at that time.
---@field at? number In ms.
---@field vain integer How often it was waited for without a word.

---@type table<integer, drawbridge.Looked>
local looked = {}

---@return number ms
local function now()
  return vim.uv.hrtime() / 1e6
end

---@param bufnr integer
---@return drawbridge.Looked
local function of(bufnr)
  looked[bufnr] = looked[bufnr] or { vain = 0 }
  return looked[bufnr]
end

local group = vim.api.nvim_create_augroup("drawbridge.diagnostics", { clear = true })

vim.api.nvim_create_autocmd("DiagnosticChanged", {
  group = group,
  desc = "drawbridge: somebody has looked at the text",
  callback = function(args)
    if vim.api.nvim_buf_is_loaded(args.buf) then
      looked[args.buf] = { tick = vim.api.nvim_buf_get_changedtick(args.buf), at = now(), vain = 0 }
    end
  end,
})

vim.api.nvim_create_autocmd("BufUnload", {
  group = group,
  callback = function(args)
    looked[args.buf] = nil
  end,
})

---@type table<vim.diagnostic.Severity, drawbridge.Severity>
local severities = { "error", "warning", "information", "hint" }

--- A column in the units that were agreed on.
---@param line string
---@param byte integer
---@param encoding string
---@return integer
local function column(line, byte, encoding)
  byte = math.min(byte, #line)
  if encoding == "utf-8" then
    return byte
  end
  local utf32, utf16 = vim.str_utfindex(line, byte)
  return encoding == "utf-32" and utf32 or utf16
end

---@param bufnr integer
---@return fun(lnum: integer, col: integer): drawbridge.Position
local function positions(bufnr)
  local encoding, last = documents.encoding(), vim.api.nvim_buf_line_count(bufnr) - 1
  return function(lnum, col)
    lnum = math.max(0, math.min(lnum, last))
    local line = vim.api.nvim_buf_get_lines(bufnr, lnum, lnum + 1, false)[1] or ""
    return { line = lnum, character = column(line, col, encoding) }
  end
end

--- The namespaces of what the bridge itself says.
---@return table<integer, true>
local function own()
  local id, all = client.client_id(), {}
  for _, pulled in ipairs(id and { false, true } or {}) do
    all[vim.lsp.diagnostic.get_namespace(id, pulled)] = true
  end
  return all
end

---@param bufnr integer
---@return drawbridge.Diagnostic[]
local function said(bufnr)
  local position, not_meant, list = positions(bufnr), own(), {}
  for _, d in ipairs(vim.diagnostic.get(bufnr)) do
    if not not_meant[d.namespace] then
      table.insert(list, {
        range = {
          start = position(d.lnum, d.col),
          ["end"] = position(d.end_lnum or d.lnum, d.end_col or d.col),
        },
        severity = severities[d.severity] or "error",
        message = d.message,
        source = d.source,
        code = d.code ~= nil and tostring(d.code) or nil,
      })
    end
  end
  return list
end

--- Whether anybody looks at a buffer: a language server, or who spoke of it before.
---@param bufnr integer
---@return boolean
local function watched(bufnr)
  local id, known = client.client_id(), of(bufnr)
  local others = vim.iter(vim.lsp.get_clients({ bufnr = bufnr })):any(function(c)
    return c.id ~= id
  end)
  return known.at ~= nil or (others and known.vain < patience)
end

--- How long to wait before looking again, in ms; 0 when all is said.
---@param bufnr integer
---@return number
local function left(bufnr)
  local known = of(bufnr)
  if known.tick ~= vim.api.nvim_buf_get_changedtick(bufnr) then
    return quiet_ms / 4
  end
  return math.max(0, known.at + quiet_ms - now())
end

--- Calls back when those who look at a buffer have looked at its present text, or
--- when the time is over.
---@param bufnr integer
---@param deadline number
---@param cb fun()
local function settled(bufnr, deadline, cb)
  local loaded = vim.api.nvim_buf_is_loaded(bufnr)
  local wait = loaded and left(bufnr) or 0
  local rest = deadline - now()
  if wait > 0 and rest > 0 then
    vim.defer_fn(function()
      settled(bufnr, deadline, cb)
    end, math.ceil(math.min(wait, rest)))
    return
  end
  if loaded and not of(bufnr).at then
    of(bufnr).vain = of(bufnr).vain + 1
  end
  cb()
end

client.answer("editor/diagnostics", function(params, respond)
  local bufnr = documents.buffer(params.uri)
  local function answer()
    local there = bufnr and vim.api.nvim_buf_is_loaded(bufnr)
    respond({ diagnostics = there and said(bufnr --[[@as integer]]) or {} })
  end
  if not bufnr or params.waitMs == 0 or not watched(bufnr) then
    answer()
  else
    settled(bufnr, now() + params.waitMs, answer)
  end
end)

return M
