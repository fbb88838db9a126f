--- The bridge's settings files: what became of one that was changed is said in a line,
--- and what is wrong with it stands where it is wrong.

local client = require("drawbridge.client")
local config = require("drawbridge.config")
local say = require("drawbridge.say")
local visible = require("drawbridge.visible")
local window = require("drawbridge.window")

local M = {}

local namespace = vim.api.nvim_create_namespace("drawbridge_settings")
local group = vim.api.nvim_create_augroup("drawbridge_settings", { clear = true })

--- What is wrong as the bridge said last.
---@type drawbridge.SettingsProblem[]
local problems = {}
--- Why no bridge starts, when that is a settings file.
---@type drawbridge.SettingsProblem?
local fatal

--- The user's file, where the bridge looks for it.
---@return string
local function user_file()
  local env = config.get().env or {}
  local set = env.XDG_CONFIG_HOME or vim.env.XDG_CONFIG_HOME or ""
  local home = env.HOME or vim.env.HOME or vim.uv.os_homedir() or ""
  return vim.fs.normalize((vim.startswith(set, "/") and set or home .. "/.config") .. "/drawbridge/config.yaml")
end

--- This folder's file.
---@return string
local function workspace_file()
  return vim.fs.normalize((client.root() or config.root()) .. "/.drawbridge/config.yaml")
end

---@param path string
---@return string
local function real(path)
  return vim.uv.fs_realpath(path) or vim.fs.normalize(path)
end

---@param b integer
---@return drawbridge.SettingsProblem[]
local function problems_of(b)
  local name = vim.api.nvim_buf_get_name(b)
  if name == "" or vim.bo[b].buftype ~= "" then
    return {}
  end
  local path = real(name)
  return vim.tbl_filter(function(problem)
    return problem.file ~= "" and real(problem.file) == path
  end, problems)
end

---@param b integer
---@param problem drawbridge.SettingsProblem
---@return vim.Diagnostic
local function diagnostic(b, problem)
  local row = math.max(0, math.min(problem.line, vim.api.nvim_buf_line_count(b)) - 1)
  local line = vim.api.nvim_buf_get_lines(b, row, row + 1, false)[1] or ""
  local column = math.min(math.max(0, problem.column - 1), #line)
  return {
    lnum = row,
    col = column,
    end_col = #line,
    message = visible.text(problem.message),
    severity = problem.warning and vim.diagnostic.severity.WARN or vim.diagnostic.severity.ERROR,
    source = "drawbridge",
  }
end

---@param b integer
local function mark(b)
  local all = vim.tbl_map(function(problem)
    return diagnostic(b, problem)
  end, problems_of(b))
  vim.diagnostic.set(namespace, b, all)
end

local function mark_all()
  for _, b in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(b) then
      mark(b)
    end
  end
end

-- What is wrong, and where that is known.
---@param problem drawbridge.SettingsProblem
---@return string
local function placed(problem)
  local text = visible.text(problem.message)
  if problem.file == "" then
    return text
  end
  local file = vim.fn.fnamemodify(problem.file, ":~:.")
  return ("%s: %s"):format(problem.line > 0 and ("%s:%d"):format(file, problem.line) or file, text)
end

-- What is wrong, in a line: the first of it, and how much there is.
---@param applied boolean
local function complain(applied)
  local first = problems[1]
  local fault = vim.iter(problems):find(function(problem)
    return not problem.warning
  end)
  first = fault or first
  local more = #problems > 1 and (" (and %d more)"):format(#problems - 1) or ""
  local counts = applied and "" or "; the settings before count"
  local tell = fault and say.error or say.warn
  tell(("settings: %s%s%s  :Drawbridge settings problems"):format(placed(first), more, counts))
end

---@param event drawbridge.SettingsChanged
local function said(event)
  local parts = {}
  if event.applied and #event.changed > 0 then
    table.insert(parts, ("settings now count: %s"):format(visible.text(table.concat(event.changed, ", "))))
  end
  for _, later in ipairs(event.later or {}) do
    table.insert(parts, visible.text(later))
  end
  if #parts > 0 then
    say.info(table.concat(parts, "; "))
  end
end

client.on("settings/changed", function(event)
  local same = vim.deep_equal(problems, event.problems)
  problems = event.problems
  mark_all()
  said(event)
  if #problems > 0 and not same then
    complain(event.applied)
  elseif #problems == 0 and not same and #event.changed == 0 then
    say.info("the settings files are in order")
  end
end)

-- What a bridge said of its settings holds for that bridge.
for _, name in ipairs({ "drawbridge/ready", "drawbridge/exited" }) do
  client.on(name, function()
    problems, fatal = {}, nil
    mark_all()
  end)
end

-- A bridge that does not start for its settings says FILE:LINE:COLUMN: what is wrong.
client.on("drawbridge/failed", function(err)
  local file, line, column, message = tostring(err.message):match("(/[^\n]-%.ya?ml):(%d+):(%d+): (.+)$")
  if file then
    fatal = { file = file, line = tonumber(line), column = tonumber(column), message = message }
    problems = { fatal }
    mark_all()
  end
end)

vim.api.nvim_create_autocmd("BufWritePost", {
  group = group,
  desc = "drawbridge: a settings file was mended that kept the bridge from starting",
  callback = function(args)
    if fatal and real(vim.api.nvim_buf_get_name(args.buf)) == real(fatal.file) then
      fatal = nil
      client.restart(function(err)
        if err then
          say.failure(err)
        else
          say.info("the bridge runs")
        end
      end)
    end
  end,
})

vim.api.nvim_create_autocmd("BufReadPost", {
  group = group,
  desc = "drawbridge: what is wrong with a settings file",
  callback = function(args)
    if #problems > 0 then
      mark(args.buf)
    end
  end,
})

-- A folder that is not there is made when the file is written, and not before: a look
-- leaves nothing behind.
---@param b integer
local function make_folder_when_written(b)
  vim.api.nvim_create_autocmd("BufWritePre", {
    group = group,
    buffer = b,
    desc = "drawbridge: the folder of a settings file",
    callback = function(args)
      local path = vim.api.nvim_buf_get_name(args.buf)
      vim.fn.mkdir(vim.fs.dirname(path), "p", tonumber("700", 8))
    end,
  })
end

---@param path string
local function edit(path)
  window.to_work()
  vim.cmd.edit(vim.fn.fnameescape(path))
  local b = vim.api.nvim_get_current_buf()
  if not vim.uv.fs_stat(vim.fs.dirname(path)) then
    make_folder_when_written(b)
  end
  local first = problems_of(b)[1]
  if first then
    local at = diagnostic(b, first)
    vim.api.nvim_win_set_cursor(0, { at.lnum + 1, at.col })
  elseif not vim.uv.fs_stat(path) then
    say.info("there is no such file yet; writing it makes it")
  end
end

local function list_problems()
  if #problems == 0 then
    say.info("nothing is known to be wrong with the settings files")
    return
  end
  vim.fn.setqflist({}, " ", {
    title = "Drawbridge settings",
    items = vim.tbl_map(function(problem)
      return {
        filename = problem.file ~= "" and problem.file or nil,
        lnum = math.max(1, problem.line),
        col = math.max(1, problem.column),
        type = problem.warning and "W" or "E",
        text = visible.text(problem.message),
      }
    end, problems),
  })
  vim.cmd("botright copen")
end

--- Opens a settings file, at what is wrong with it, or lists what is wrong with any.
---@param which? string "user", "workspace" or "problems"; absent: the one for which no bridge starts, else the user's.
function M.open(which)
  if which == "problems" then
    list_problems()
  elseif which == "workspace" then
    edit(workspace_file())
  elseif not which or which == "user" then
    edit(not which and fatal and fatal.file or user_file())
  else
    say.error("there are the settings: user, workspace, and their problems")
  end
end

return M
