-- How to decide about the hunk the cursor is on, at the end of its first line:
-- the keys a person gave to it, else the commands. Only ever one such hint.

local changes = require("drawbridge.review.changes")
local marks = require("drawbridge.review.marks")
local say = require("drawbridge.say")

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

-- The two ways to decide: in full, in short where both are commands, and the second
-- alone.
---@param yes string
---@param no string
---@param cells integer
---@return string
local function ways(yes, no, cells)
  local accept, reject = key_of("accept-hunk", "accept"), key_of("reject-hunk", "reject")
  local short = ("%s: %s · %s: %s"):format(yes, accept, no, reject)
  if vim.startswith(accept, ":") and vim.startswith(reject, ":") then
    short = yes == "accept" and ":Drawbridge accept, reject" or (":Drawbridge accept, reject: %s, %s"):format(yes, no)
  end
  return say.widest(cells, {
    ("%s: %s · %s: %s"):format(yes, accept, no, reject),
    short,
    ("%s · %s"):format(accept, reject),
    reject,
  })
end

--- How to decide, in one line of so many cells; empty where none fits.
---@param proposed boolean
---@param cells integer
---@return string
function M.text(proposed, cells)
  return ways(proposed and "accept" or "keep", proposed and "reject" or "take back", cells)
end

--- How to take back a hunk of an applied change.
---@param cells integer
---@return string
function M.take_back(cells)
  local reject = key_of("reject-hunk", "reject")
  return say.widest(cells, { "applied · take back: " .. reject, "take back: " .. reject, reject })
end

-- How to be done with a hunk that is not in the buffer any more.
---@param cells integer
---@return string
local function be_done(cells)
  local reject = key_of("reject-hunk", "reject")
  return say.widest(cells, { "done with it: " .. reject, reject })
end

local function clear()
  if hinted and vim.api.nvim_buf_is_valid(hinted) then
    vim.api.nvim_buf_clear_namespace(hinted, namespace, 0, -1)
  end
  hinted = nil
end

-- How many cells of the window are free behind a line and the header of its hunk.
---@param row integer
---@param at drawbridge.HunkPlace
---@return integer
local function room(row, at)
  local info = vim.fn.getwininfo(vim.api.nvim_get_current_win())[1]
  local width = info.width - info.textoff
  local used = vim.fn.virtcol({ row + 1, "$" }) - 1
  if vim.wo.wrap then
    used = used % width
  else
    used = used - vim.fn.winsaveview().leftcol
  end
  -- Either of both has a space before it, and the hint begins with one.
  return width - used - 3 - vim.fn.strdisplaywidth((marks.header(at.review, at.hunk)))
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
  local row = math.min(at.first, vim.api.nvim_buf_line_count(buf) - 1)
  local cells = room(row, at)
  local text = at.hunk.undone and be_done(cells) or M.text(at.review.approvalId ~= nil, cells)
  hinted = buf
  vim.api.nvim_buf_set_extmark(buf, namespace, row, 0, {
    virt_text = { { " " .. text, "DrawbridgeMuted" } },
    virt_text_pos = "eol",
    priority = 101, -- behind the header
  })
end

vim.api.nvim_create_autocmd({ "CursorMoved", "InsertEnter", "InsertLeave", "BufEnter", "WinResized" }, {
  group = vim.api.nvim_create_augroup("drawbridge_review_hint", {}),
  callback = show,
})
changes.watch(vim.schedule_wrap(show))

return M
