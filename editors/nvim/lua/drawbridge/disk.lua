--- What the disk held when a buffer was read or written last, so that nothing is
--- written over what came there since, and no dialog is needed to find that out: one
--- that opens by itself takes the key that is just being typed for its answer.

local M = {}

local group = vim.api.nvim_create_augroup("drawbridge.disk", { clear = true })

--- By buffer; "" where there was no file.
---@type table<integer, string>
local seen = {}

---@param path string
---@return string
local function stamp(path)
  local stat = vim.uv.fs_stat(path)
  return stat and ("%d.%d %d"):format(stat.mtime.sec, stat.mtime.nsec, stat.size) or ""
end

---@param bufnr integer
local function remember(bufnr)
  if vim.bo[bufnr].buftype == "" then
    seen[bufnr] = stamp(vim.api.nvim_buf_get_name(bufnr))
  end
end

vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile" }, {
  group = group,
  desc = "drawbridge: the buffer has what the disk has",
  callback = function(args)
    remember(args.buf)
  end,
})

vim.api.nvim_create_autocmd("BufWritePost", {
  group = group,
  desc = "drawbridge: the disk has what the buffer has",
  callback = function(args)
    local name = vim.api.nvim_buf_get_name(args.buf)
    -- Not when it was written into another file.
    if args.match == name or vim.uv.fs_realpath(args.match) == vim.uv.fs_realpath(name) then
      remember(args.buf)
    end
  end,
})

vim.api.nvim_create_autocmd({ "BufFilePost", "BufUnload" }, {
  group = group,
  desc = "drawbridge: the buffer is another file's, or nobody's",
  callback = function(args)
    seen[args.buf] = nil
  end,
})

--- Lets Neovim compare a buffer with its file. What it would ask for is decided here;
--- a text with unsaved changes stays as it is.
---@param bufnr integer
---@param choose fun(reason: string): string What v:fcs_choice is to be.
local function compare(bufnr, choose)
  local id = vim.api.nvim_create_autocmd("FileChangedShell", {
    group = group,
    buffer = bufnr,
    callback = function()
      vim.v.fcs_choice = choose(vim.v.fcs_reason)
    end,
  })
  pcall(vim.cmd, "silent! checktime " .. bufnr)
  pcall(vim.api.nvim_del_autocmd, id)
end

--- Has Neovim read a buffer anew whose text is that of the file already, so that it
--- takes them for the same and asks nobody, now or when it is written. That is no
--- change: what can be undone is put aside meanwhile, else there would be a step that
--- undoes nothing.
---@param bufnr integer
function M.acknowledge(bufnr)
  local aside = vim.fn.tempname()
  vim.api.nvim_buf_call(bufnr, function()
    local saved = pcall(vim.cmd, "silent wundo! " .. aside)
    compare(bufnr, function(reason)
      return reason == "conflict" and "" or "reload"
    end)
    if saved then
      pcall(vim.cmd, "silent! rundo " .. aside)
      os.remove(aside)
    end
  end)
end

--- Whether there was no file when the buffer was made, and none was written since.
---@param bufnr integer
---@return boolean
function M.was_missing(bufnr)
  return seen[bufnr] == ""
end

--- Whether the file of a buffer is no longer what the buffer came from.
---@param bufnr integer
---@return boolean
function M.has_changed(bufnr)
  if seen[bufnr] then
    return seen[bufnr] ~= stamp(vim.api.nvim_buf_get_name(bufnr))
  end
  -- It was read before anything in here was loaded.
  local differs = false
  compare(bufnr, function(reason)
    differs = reason == "changed" or reason == "conflict"
    return ""
  end)
  return differs
end

return M
