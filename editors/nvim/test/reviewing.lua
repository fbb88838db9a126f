-- A child whose agent proposes changes, and what is drawn of them.

local child_of = require("child")

local M = {}

M.nine = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n"
M.three_hunks = "ONE\ntwo\nthree\nfour\nFIVE\nsix\nseven\neight\nnine\nten\n"

--- A line of a script: the model calls a tool.
---@param id string
---@param tool string
---@param args table
---@return string
function M.call(id, tool, args)
  return ("call %s %s %s\n"):format(id, tool, vim.json.encode(args))
end

---@param text string
---@param name? string
---@return string
function M.overwrite(text, name)
  return M.call("c1", "write_file", { file_path = name or "a.txt", content = text })
end

---@class test.ReviewOptions : test.ChildOptions
---@field mode? drawbridge.Mode
---@field open? string|false The file that is opened first; a.txt when absent.
---@field text? string What a.txt is to become, when there is no script.
---@field wants? string What the model must have read after that.
---@field prepare? fun(child: test.Child) What the person does before the prompt.

--- Starts a child and prompts it.
---@param options test.ReviewOptions
---@return test.Child
function M.start(options)
  local proposal = M.overwrite(options.text or M.three_hunks) .. "----\n"
  local child = child_of.start({
    files = options.files or { ["a.txt"] = M.nine },
    options = vim.tbl_extend("force", options.options or {}, { mode = options.mode }),
    before = options.before,
    script = options.script or (proposal .. (options.wants or "") .. 'text "Done."\n'),
  })
  if options.open ~= false then
    child:ex("edit " .. (options.open or "a.txt"))
  end
  if options.prepare then
    options.prepare(child)
  end
  child:prompt("go")
  return child
end

--- Waits until so many hunks wait for a decision, and the bridge has heard of the others.
---@param child test.Child
---@param n integer
function M.waits(child, n)
  child:wait(
    n .. " hunks wait",
    ("require('drawbridge.review').count().hunks == %d and not require('drawbridge.review.settle').busy()"):format(n)
  )
end

--- Waits until what waits has waited long enough to have been read.
---@param child test.Child
function M.read(child)
  child:wait(
    "it was there to be read",
    [[not vim.iter(require("drawbridge.review.changes").all()):any(require("drawbridge.review.changes").unread)]]
  )
end

--- What is drawn into the current buffer: the row, the highlight, the first of
--- the header and of the virtual lines.
---@param child test.Child
---@return string[]
function M.marks(child)
  return child:lua([[
    local namespace = vim.api.nvim_create_namespace("drawbridge_review")
    local all = {}
    for _, m in ipairs(vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })) do
      local d = m[4]
      local lines = vim.tbl_map(function(l) return vim.trim(l[1][1]) end, d.virt_lines or {})
      if not d.invalid and (d.virt_text or d.virt_lines) then
        table.insert(all, table.concat({
          m[2] + 1, d.hl_group or "-", d.virt_text and vim.trim(d.virt_text[1][1]) or "-",
          table.concat(lines, "|") .. (d.virt_lines and (d.virt_lines_above and " above" or " below") or ""),
        }, " "))
      end
    end
    return all
  ]])
end

--- Waits until the cursor is in a line.
---@param child test.Child
---@param n integer
function M.line_is(child, n)
  child:wait("the cursor is in line " .. n, ("vim.api.nvim_win_get_cursor(0)[1] == %d"):format(n))
end

return M
