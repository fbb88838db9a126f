-- The buffers that the conversation and its prompt stand in. They are no files,
-- and a person does with them what one does with buffers: deletes them, reads
-- them in again, keeps them in a session file. Deleting only unloads a buffer,
-- which then comes back under its number as an empty file.

local M = {}

---@class (exact) drawbridge.OwnBuffer
---@field read fun(b: integer) It was read in again and is empty.
---@field unload? fun(b: integer) Its text is about to go.

--- Whether a buffer is what it was made to be.
---@param b integer?
---@return boolean
function M.whole(b)
  return b ~= nil and vim.api.nvim_buf_is_loaded(b) and vim.bo[b].buftype == "nofile"
end

-- Takes a name from the buffer that has it: one that was deleted, or one that a
-- session file made.
---@param name string
local function free(name)
  for _, b in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(b) == name then
      pcall(vim.api.nvim_buf_delete, b, { force = true })
    end
  end
end

-- What is left of a deleted buffer goes whole.
---@param b integer
local function wipe_rest(b)
  if vim.api.nvim_buf_is_valid(b) and not M.whole(b) then
    pcall(vim.api.nvim_buf_delete, b, { force = true })
  end
end

--- Makes a buffer that is no file.
---@param name string
---@param own drawbridge.OwnBuffer
---@return integer
function M.make(name, own)
  free(name)
  local b = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(b, name)
  vim.bo[b].buftype = "nofile"
  vim.bo[b].bufhidden = "hide"
  vim.bo[b].swapfile = false
  vim.bo[b].modeline = false
  vim.api.nvim_create_autocmd("BufReadCmd", {
    buffer = b,
    callback = function()
      own.read(b)
    end,
  })
  vim.api.nvim_create_autocmd("BufUnload", {
    buffer = b,
    callback = function()
      if own.unload then
        own.unload(b)
      end
      if vim.v.exiting == vim.NIL then
        vim.schedule(function()
          wipe_rest(b)
        end)
      end
    end,
  })
  return b
end

return M
