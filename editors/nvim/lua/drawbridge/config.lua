--- The options: what the user may set, by `vim.g.drawbridge` or by
--- `require("drawbridge").setup{}`, and what holds otherwise.

---@class drawbridge.WindowOptions
---@field position "right"|"left"|"bottom"|"top"|"tab"|"current" Where the conversation opens.
---@field width number Columns; below 1 a part of the screen. For right and left.
---@field height number Lines; below 1 a part of the screen. For bottom and top.
---@field prompt_height integer Lines of the prompt below the conversation.

---@class drawbridge.ApprovalOptions
---@field auto boolean Open the choice by itself when the cursor rests in the conversation. Never while anything is typed.
---@field notify boolean Say by `vim.notify` that a question came.

---@class drawbridge.TerminalOptions
---@field open "never"|"input"|"running" Show a command's terminal by itself, in a split that does not take the cursor: never, when it waits for typing, or when it starts.
---@field notify boolean Say that a command waits for typing where its terminal is not seen.
---@field scrollback integer Lines a terminal keeps.
---@field keep integer Terminals of ended commands that keep a buffer.

---@class drawbridge.ReviewOptions
---@field signs boolean Mark hunks in the sign column.
---@field open boolean Show a proposed change in its file as soon as it is asked about, when that file is in a window.

---@class drawbridge.PromptOptions
---@field submit_insert string|false The key that sends in insert mode.
---@field submit_normal string|false The key that sends in normal mode.
---@field history integer Prompts remembered per folder; 0 remembers none.

---@class drawbridge.Options
---@field cmd? string[] How the bridge is started; nil: the bundled one, else `drawbridge` on the PATH.
---@field env? table<string, string> More of its environment.
---@field cwd? string The workspace folder; nil: the git root of the current file, else the working directory.
---@field model? string PROVIDER:NAME for new sessions; nil: as the bridge's settings say.
---@field mode? drawbridge.Mode For new sessions; nil: as the bridge's settings say.
---@field preset? drawbridge.Preset For new sessions; nil: as the bridge's settings say.
---@field profile? drawbridge.Profile Which tools the model has in new sessions; nil: as the bridge's settings say.
---@field window drawbridge.WindowOptions
---@field prompt drawbridge.PromptOptions
---@field approvals drawbridge.ApprovalOptions
---@field terminals drawbridge.TerminalOptions
---@field review drawbridge.ReviewOptions
---@field keys table<string, string> Names of <Plug> maps to keys, such as `{ prompt = "<leader>dp" }`; none by default.

local M = {}

---@type drawbridge.Options
M.defaults = {
  window = { position = "right", width = 0.45, height = 0.4, prompt_height = 5 },
  prompt = { submit_insert = "<C-s>", submit_normal = "<CR>", history = 200 },
  approvals = { auto = false, notify = true },
  terminals = { open = "never", notify = true, scrollback = 10000, keep = 20 },
  review = { signs = true, open = true },
  keys = {},
}

--- What each option may be. A list names words, a string a Lua type.
local shape = {
  cmd = "table",
  env = "table",
  cwd = "string",
  model = "string",
  mode = function()
    return require("drawbridge.protocol").modes
  end,
  preset = function()
    return require("drawbridge.protocol").presets
  end,
  profile = function()
    return require("drawbridge.protocol").profiles
  end,
  keys = "table",
  window = {
    position = { "right", "left", "bottom", "top", "tab", "current" },
    width = "number",
    height = "number",
    prompt_height = "number",
  },
  prompt = { submit_insert = { "string", false }, submit_normal = { "string", false }, history = "number" },
  approvals = { auto = "boolean", notify = "boolean" },
  terminals = { open = { "never", "input", "running" }, notify = "boolean", scrollback = "number", keep = "number" },
  review = { signs = "boolean", open = "boolean" },
}

---@type drawbridge.Options?
local options
---@type table
local given = {}

---@param want any
---@param value any
---@return string? complaint
local function check_value(want, value)
  if type(want) == "function" then
    want = want()
  end
  if type(want) == "string" then
    return type(value) ~= want and ("must be a " .. want) or nil
  end
  for _, word in ipairs(want) do
    if value == word or (word == "string" and type(value) == "string") then
      return nil
    end
  end
  local words = vim.tbl_map(function(word)
    return word == "string" and "a string" or vim.inspect(word)
  end, want)
  return "must be one of " .. table.concat(words, ", ")
end

---@param want table
---@param values table
---@param path string
---@param complaints string[]
local function check_table(want, values, path, complaints)
  for name, value in pairs(values) do
    local full = path .. tostring(name)
    local expected = want[name]
    if expected == nil then
      table.insert(complaints, ("%s: no such option"):format(full))
    elseif type(expected) == "table" and not vim.islist(expected) then
      if type(value) == "table" then
        check_table(expected, value, full .. ".", complaints)
      else
        table.insert(complaints, ("%s: must be a table"):format(full))
      end
    else
      local complaint = check_value(expected, value)
      if complaint then
        table.insert(complaints, ("%s: %s"):format(full, complaint))
      end
    end
  end
end

--- Everything that is wrong with the given options, one line each.
---@return string[]
function M.complaints()
  local complaints = {}
  check_table(shape, M.given(), "", complaints)
  table.sort(complaints)
  return complaints
end

--- What the user set, by either way; setup{} goes before vim.g.drawbridge.
---@return table
function M.given()
  local global = type(vim.g.drawbridge) == "table" and vim.g.drawbridge or {}
  return vim.tbl_deep_extend("force", global, given)
end

---@param opts? table
function M.setup(opts)
  given = opts or {}
  options = nil
  local complaints = M.complaints()
  if #complaints > 0 then
    require("drawbridge.say").warn(table.concat(complaints, "; "))
  end
end

--- The options in force. A given option of the wrong kind is as if not given.
---@return drawbridge.Options
function M.get()
  if not options then
    local valid = vim.deepcopy(M.given())
    for name, value in pairs(valid) do
      local complaints = {}
      check_table(shape, { [name] = value }, "", complaints)
      if #complaints > 0 then
        valid[name] = nil
      end
    end
    options = vim.tbl_deep_extend("force", vim.deepcopy(M.defaults), valid)
  end
  return options
end

--- The folder of the plugin, where a bundled bridge lies in `bin`.
---@return string
local function plugin_root()
  local here = debug.getinfo(1, "S").source:sub(2)
  return vim.fn.fnamemodify(here, ":p:h:h:h")
end

--- How the bridge is started: by a whole path, and never by a program that the
--- workspace brings unless the option cmd names it so.
---@return string[]? cmd nil when there is none
---@return string origin where it comes from, or why there is none; for people
function M.command()
  local program = require("drawbridge.program")
  local set = M.get().cmd
  local bundled = plugin_root() .. "/bin/drawbridge"
  if set and #set > 0 then
    local path, why = program.named(tostring(set[1]), M.root())
    return path and vim.list_extend({ path }, set, 2) or nil, path and "option cmd" or why or ""
  elseif vim.fn.executable(bundled) == 1 then
    return { bundled }, "bundled"
  end
  local path, why = program.named("drawbridge", M.root())
  return path and { path } or nil, path and "PATH" or why or ""
end

--- How another command of the same program is run: what serves is left out.
---@param cmd string[] As M.command gives it.
---@param ... string
---@return string[]
function M.other_command(cmd, ...)
  local argv = {}
  for i, word in ipairs(cmd) do
    if i > 1 and word == "serve" then
      break
    end
    table.insert(argv, word)
  end
  return vim.list_extend(argv, { ... })
end

---@param path string
---@return string
local function absolute(path)
  return (vim.fs.normalize(vim.fn.fnamemodify(path, ":p")):gsub("(.)/$", "%1"))
end

--- The workspace folder as seen from a buffer.
---@param bufnr? integer
---@return string
function M.root(bufnr)
  local set = M.get().cwd
  if set then
    return absolute(set)
  end
  local name = vim.api.nvim_buf_get_name(bufnr or 0)
  local start = vim.fn.getcwd()
  if vim.bo[bufnr or 0].buftype == "" and name ~= "" then
    start = vim.fs.dirname(name)
  end
  local git = vim.fs.find(".git", { upward = true, path = start })[1]
  return absolute(git and vim.fs.dirname(git) or vim.fn.getcwd())
end

return M
