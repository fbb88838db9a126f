-- Finds the lines of a hunk in a buffer that has perhaps gone on since.

local buffers = require("drawbridge.review.buffers")

local M = {}

---@param have string[]
---@param want string[]
---@param row integer
---@return boolean
local function stands(have, want, row)
  if row < 0 or row + #want > #have then
    return false
  end
  for i, line in ipairs(want) do
    if have[row + i] ~= line then
      return false
    end
  end
  return true
end

-- The place nearest to where it was, so that of equal lines the right ones are
-- taken.
---@param have string[]
---@param want string[]
---@param row integer
---@return integer?
local function nearest(have, want, row)
  for distance = 0, math.max(row, #have - row) do
    if stands(have, want, row - distance) then
      return row - distance
    elseif stands(have, want, row + distance) then
      return row + distance
    end
  end
end

--- The rows a hunk's lines have in a buffer, the last one excluded; nil when
--- they are not there.
---@param hunk drawbridge.ReviewHunk
---@param new boolean The buffer holds what the change makes, not what it starts from.
---@param have string[] The buffer's lines.
---@param before? { first: integer, last: integer } Where its mark is.
---@return integer? first, integer? last
function M.of(hunk, new, have, before)
  local text = new and hunk.newText or hunk.oldText
  local row = (new and hunk.newRange or hunk.oldRange).start.line
  local want = buffers.lines(text)
  if #want == 0 then
    -- Nothing of it is in the buffer to be recognised by; its mark knows best.
    local at = math.min(before and before.first or row, #have)
    return at, at
  end
  local first = before and stands(have, want, before.first) and before.first or nearest(have, want, row)
  if first then
    return first, first + #want
  end
end

return M
