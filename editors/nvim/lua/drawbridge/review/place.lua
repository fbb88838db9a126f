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

-- How many places are tried where a line stands that often.
local most_tries = 500

-- The rows of each line, ascending, of the lines that are being looked at.
---@type table<string[], table<string, integer[]>>
local indexes = setmetatable({}, { __mode = "k" })

---@param have string[]
---@return table<string, integer[]>
local function index_of(have)
  local index = indexes[have]
  if not index then
    index = {}
    for i, line in ipairs(have) do
      local rows = index[line]
      if rows then
        rows[#rows + 1] = i - 1
      else
        index[line] = { i - 1 }
      end
    end
    indexes[have] = index
  end
  return index
end

-- Where the line of a text stands that is the rarest in the buffer, and which
-- of the text's it is, from 0; nothing when one of them is nowhere.
---@param have string[]
---@param want string[]
---@return integer[]? rows, integer offset
local function rarest(have, want)
  local index = index_of(have)
  local found, offset
  for i, line in ipairs(want) do
    local rows = index[line]
    if not rows then
      return nil, 0
    elseif not found or #rows < #found then
      found, offset = rows, i - 1
    end
  end
  return found, offset
end

-- The first of ascending rows that is not before one.
---@param rows integer[]
---@param row integer
---@return integer
local function first_from(rows, row)
  local low, high = 1, #rows + 1
  while low < high do
    local middle = math.floor((low + high) / 2)
    if rows[middle] < row then
      low = middle + 1
    else
      high = middle
    end
  end
  return low
end

-- The place nearest to where it was, so that of equal lines the right ones are
-- taken.
---@param have string[]
---@param want string[]
---@param row integer
---@return integer?
local function nearest(have, want, row)
  local rows, offset = rarest(have, want)
  if not rows then
    return nil
  end
  local wanted = row + offset
  local after = first_from(rows, wanted)
  local before = after - 1
  for _ = 1, math.min(#rows, most_tries) do
    local up, down = rows[before], rows[after]
    local at
    if up and (not down or wanted - up <= down - wanted) then
      at, before = up, before - 1
    else
      at, after = down, after + 1
    end
    if stands(have, want, at - offset) then
      return at - offset
    end
  end
end

--- The rows a hunk's lines have in a buffer, the last one excluded; nil when
--- they are not there.
---@param hunk drawbridge.ReviewHunk
---@param new boolean The buffer holds what the change makes, not what it starts from.
---@param have string[] The buffer's lines; one table for all hunks, which does not change.
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
