--- A problem report: what the bridge knows of itself, with what only the editor
--- knows. The bridge takes keys and names out of all of it; a person reads it
--- before it goes anywhere.

local client = require("drawbridge.client")
local config = require("drawbridge.config")
local say = require("drawbridge.say")
local state = require("drawbridge.state")

local M = {}

--- What the editor has to add, without a word of the conversation.
---@return string[]
function M.editor_part()
  local version = vim.version()
  local lines = {
    "## Neovim",
    "",
    ("- version: %d.%d.%d%s"):format(version.major, version.minor, version.patch, version.prerelease and " (prerelease)" or ""),
    ("- system: %s %s"):format(vim.uv.os_uname().sysname, vim.uv.os_uname().machine),
    ("- ui: %s"):format(#vim.api.nvim_list_uis() > 0 and vim.api.nvim_list_uis()[1].width .. " columns" or "none"),
  }
  local cmd, origin = config.command()
  table.insert(lines, ("- bridge: %s (%s)"):format(cmd and table.concat(cmd, " ") or "none", origin))
  table.insert(lines, ("- running: %s"):format(client.is_ready() and "yes" or ("no: " .. (client.failure() or { message = "not started" }).message)))
  local server = client.capabilities()
  if server then
    table.insert(lines, ("- protocol: %d, bridge %s"):format(server.version, server.serverVersion))
  end
  local c = state.current()
  if c then
    local counts = ("%d items, %d questions, %d changes, %d terminals, %d subagents"):format(
      #c.items,
      #c.approvals,
      #c.changeOrder,
      #c.terminalOrder,
      #c.subagentOrder
    )
    table.insert(lines, ("- session: %s, state %s, %s"):format(c.sessionId, c.state.state, counts))
  end
  local given = vim.deepcopy(config.given())
  given.env = given.env and "(set)" or nil
  table.insert(lines, "- options: " .. vim.inspect(given, { newline = " ", indent = "" }))
  for _, complaint in ipairs(config.complaints()) do
    table.insert(lines, "- option refused: " .. complaint)
  end
  for _, fault in ipairs(say.faults) do
    vim.list_extend(lines, { "", "```", fault, "```" })
  end
  return vim.split(table.concat(lines, "\n"), "\n", { plain = true })
end

---@param lines string[]
local function show(lines)
  local b = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(b, 0, -1, false, lines)
  vim.bo[b].bufhidden = "wipe"
  vim.bo[b].filetype = "markdown"
  vim.cmd("tab split")
  vim.api.nvim_win_set_buf(0, b)
  vim.bo[b].modified = false
  say.info("read it before you pass it on; :saveas FILE keeps it")
end

--- Gathers the report and shows it in a tab.
function M.open()
  local cmd = config.command()
  if not cmd then
    show(M.editor_part())
    return
  end
  local argv = config.other_command(cmd, "report")
  local input = table.concat(M.editor_part(), "\n") .. "\n"
  local ok, err = pcall(vim.system, argv, {
    stdin = input,
    text = true,
    timeout = 60000,
    cwd = client.root() or config.root(),
    env = config.get().env,
  }, vim.schedule_wrap(function(out)
    if out.code == 0 then
      show(vim.split(out.stdout, "\n", { plain = true }))
    else
      local why = vim.trim(out.stderr or "")
      local lines = vim.split("`drawbridge report` failed: " .. why, "\n", { plain = true })
      show(vim.list_extend(vim.list_extend(M.editor_part(), { "" }), lines))
    end
  end))
  if not ok then
    -- Where the program cannot even be started, the report is wanted the most.
    show(vim.list_extend(M.editor_part(), { "", "`drawbridge report` could not be run: " .. tostring(err):gsub("\n", " ") }))
  end
end

--- Where the bridge writes its log.
---@return string
function M.log_file()
  local env = config.get().env or {}
  local home = env.XDG_STATE_HOME or vim.env.XDG_STATE_HOME
  if not home or home == "" then
    home = vim.fs.normalize("~/.local/state")
  end
  return home .. "/drawbridge/logs/drawbridge.log"
end

--- Shows the end of the bridge's log.
function M.log()
  local file = M.log_file()
  if vim.fn.filereadable(file) == 0 then
    say.info("there is no log yet at " .. file)
    return
  end
  vim.cmd("tabedit " .. vim.fn.fnameescape(file))
  vim.bo.readonly, vim.bo.modifiable, vim.bo.swapfile = true, false, false
  vim.bo.autoread = true
  vim.cmd("normal! G")
end

return M
