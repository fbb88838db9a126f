-- How to decide about the hunk the cursor is on, at the end of its first line:
-- the keys a person gave to it, else the commands. Only ever one such hint.

local changes = require("drawbridge.review.changes")
local marks = require("drawbridge.review.marks")

local namespace = vim.api.nvim_create_namespace("drawbridge_review_hint")

-- Where the hint stands.
---@type integer?
local hinted

---@param name string
---@param command string
---@return string
local function key_of(name, command)
  local plug = "<Plug>(drawbridge-" .. name .. ")"
  for _, map in ipairs(vim.list_extend(vim.api.nvim_buf_get_keymap(0, "n"), vim.api.nvim_get_keymap("n"))) do
    if map.rhs == plug then
      return (map.lhs:gsub(" ", "<Space>"))
    end
  end
  return ":Drawbridge " .. command
end

local M = {}

--- How to decide, in one line.
---@param proposed boolean
---@return string
function M.text(proposed)
  return ("%s: %s · %s: %s"):format(
    proposed and "accept" or "keep",
    key_of("accept-hunk", "accept"),
    proposed and "reject" or "take back",
    key_of("reject-hunk", "reject")
  )
end

--- How to take back a hunk of an applied change.
---@return string
function M.take_back()
  return "applied · take a hunk back: " .. key_of("reject-hunk", "reject")
end

local function clear()
  if hinted and vim.api.nvim_buf_is_valid(hinted) then
    vim.api.nvim_buf_clear_namespace(hinted, namespace, 0, -1)
  end
  hinted = nil
end

local function show()
  clear()
  if #changes.all() == 0 or vim.api.nvim_get_mode().mode:sub(1, 1) ~= "n" then
    return
  end
  local buf = vim.api.nvim_get_current_buf()
  local at = marks.at(buf, vim.api.nvim_win_get_cursor(0)[1] - 1)
  if not at or at.hunk.decision then
    return
  end
  hinted = buf
  vim.api.nvim_buf_set_extmark(buf, namespace, math.min(at.first, vim.api.nvim_buf_line_count(buf) - 1), 0, {
    virt_text = { { " " .. M.text(at.review.approvalId ~= nil), "DrawbridgeMuted" } },
    virt_text_pos = "eol",
    priority = 101, -- behind the header
  })
end

vim.api.nvim_create_autocmd({ "CursorMoved", "InsertEnter", "InsertLeave", "BufEnter" }, {
  group = vim.api.nvim_create_augroup("drawbridge_review_hint", {}),
  callback = show,
})
changes.watch(vim.schedule_wrap(show))

return M
