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

--- Lets Neovim compare a buffer with its file. What it would ask for is decided
--- here, whatever 'autoread' says: a text without unsaved changes is read anew where
--- that is wanted, and everything else stays as it is.
---@param bufnr integer
---@param reload boolean
---@return boolean differs
function M.compare(bufnr, reload)
  local differs = false
  local id = vim.api.nvim_create_autocmd("FileChangedShell", {
    group = group,
    buffer = bufnr,
    callback = function()
      differs = vim.list_contains({ "changed", "conflict" }, vim.v.fcs_reason)
      vim.v.fcs_choice = reload and vim.v.fcs_reason == "changed" and "reload" or ""
    end,
  })
  pcall(vim.cmd, "silent! checktime " .. bufnr)
  pcall(vim.api.nvim_del_autocmd, id)
  return differs
end

--- Whether the file of a buffer is no longer what the buffer came from.
---@param bufnr integer
---@return boolean
function M.has_changed(bufnr)
  if seen[bufnr] then
    return seen[bufnr] ~= stamp(vim.api.nvim_buf_get_name(bufnr))
  end
  -- It was read before anything in here was loaded.
  return M.compare(bufnr, false)
end

return M
