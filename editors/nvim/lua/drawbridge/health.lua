--- `:checkhealth drawbridge`

local client = require("drawbridge.client")
local config = require("drawbridge.config")
local greeting = require("drawbridge.greeting")
local visible = require("drawbridge.visible")

local M = {}

--- How long the bridge may take for an answer here, in ms.
local patience = 20000

local function neovim()
  vim.health.start("Neovim")
  local v = vim.version()
  local name = ("%d.%d.%d"):format(v.major, v.minor, v.patch)
  if vim.fn.has("nvim-0.10") == 1 then
    vim.health.ok("Neovim " .. name)
  else
    vim.health.error("Neovim " .. name .. " is too old", "install 0.10 or newer")
  end
  if pcall(vim.treesitter.language.inspect, "markdown") then
    vim.health.ok("a parser for Markdown colours the conversation")
  else
    vim.health.info("no parser for Markdown: the conversation is coloured by patterns")
  end
  local git, passed_over = require("drawbridge.program").find("git", config.root())
  if git then
    vim.health.ok("git lists the files that @ offers (" .. git .. ")")
  else
    vim.health.info("no git: @ offers the files of the folder as they lie there")
  end
  if passed_over then
    vim.health.warn(passed_over .. " is not run: it lies in the folder that is worked on")
  end
  for _, complaint in ipairs(config.complaints()) do
    vim.health.error("option " .. complaint, ":help drawbridge-options")
  end
end

---@param cmd string[]
---@param ... string
---@return vim.SystemCompleted?
local function run(cmd, ...)
  local argv = config.other_command(cmd, ...)
  local ok, process = pcall(vim.system, argv, { text = true, env = config.get().env, timeout = patience })
  return ok and process:wait() or nil
end

---@return string[]? cmd
local function program()
  vim.health.start("The bridge")
  local cmd, origin = config.command()
  if not cmd then
    vim.health.error(
      origin,
      { "put drawbridge on the PATH", 'or set vim.g.drawbridge = { cmd = { "/path/to/drawbridge" } }' }
    )
    return nil
  end
  local out = run(cmd, "version")
  if not out or out.code ~= 0 then
    vim.health.error(cmd[1] .. " does not say its version: " .. vim.trim(out and out.stderr or "it did not start"))
    return nil
  end
  vim.health.ok(("%s (%s): %s"):format(cmd[1], origin, vim.trim(out.stdout)))
  return cmd
end

---@param cmd string[]
local function doctor(cmd)
  vim.health.start("drawbridge doctor")
  local out = run(cmd, "doctor")
  if not out then
    vim.health.error("it did not run")
    return
  end
  local report
  for line in vim.gsplit(vim.trim(out.stdout .. out.stderr), "\n", { plain = true }) do
    local advice = line:match("^%s+→%s*(.*)$")
    local kind, rest = line:match("^(%S+)%s+(.*)$")
    if advice and report then
      report.advice = advice
    elseif kind and not line:match("^%s") then
      if report then
        report.say(report.text, report.advice)
      end
      local say = kind == "ok" and vim.health.ok or (kind == "note" or kind == "-") and vim.health.info or vim.health.warn
      report = { say = say, text = rest:gsub("%s%s+", ": ", 1) }
    elseif report and vim.trim(line) ~= "" then
      report.text = report.text .. " " .. vim.trim(line)
    end
  end
  if report then
    report.say(report.text, report.advice)
  end
end

local function connection()
  vim.health.start("The connection")
  local err, done
  client.start(function(e)
    err, done = e, true
  end)
  if not vim.wait(patience, function()
    return done
  end, 20) then
    vim.health.error("the bridge did not answer in " .. patience / 1000 .. " s", ":Drawbridge log")
    return
  elseif err then
    vim.health.error(err.message, err.hint)
    return
  end
  local server = client.capabilities() --[[@as drawbridge.ServerCapabilities]]
  if server.version == greeting.version then
    vim.health.ok(("protocol %d, bridge %s"):format(server.version, server.serverVersion))
  else
    vim.health.warn(("the bridge speaks protocol %d, this plugin %d"):format(server.version, greeting.version))
  end
  vim.health.ok("folder " .. tostring(client.root()))
  local result
  done = false
  client.request("model/list", nil, function(e, r)
    err, result, done = e, r, true
  end)
  vim.wait(patience, function()
    return done
  end, 20)
  if not result then
    vim.health.warn("the models could not be listed" .. (err and (": " .. err.message) or ""))
    return
  end
  local ready = false
  for _, provider in ipairs(result.providers) do
    ready = ready or provider.ready
    if provider.ready then
      vim.health.ok(provider.name .. " can be asked")
    else
      vim.health.info(("%s is not ready%s"):format(provider.name, provider.hint and (": " .. provider.hint) or ""))
    end
  end
  if not ready and not config.get().model then
    vim.health.warn("no model can be asked", ":Drawbridge key hands over a key")
  end
end

--- What a person has said beforehand, and what a folder would like to say.
local function rules()
  vim.health.start("Rules")
  local required = require("drawbridge.trust").required()
  for _, r in ipairs(required) do
    local files = table.concat(vim.tbl_map(visible.text, r.files), ", ")
    vim.health.warn(("%s brings settings that do not count: %s"):format(visible.text(r.workspace), files), ":Drawbridge trust")
  end
  if #required == 0 then
    vim.health.ok("no folder brings settings that wait for an answer")
  end
  local id, result, done = client.session(), nil, false
  if not id then
    vim.health.info(":Drawbridge rules lists the rules, once a conversation is begun")
    return
  end
  client.request("rules/list", { sessionId = id }, function(_, r)
    result, done = r, true
  end)
  vim.wait(patience, function()
    return done
  end, 20)
  local all = result and result.rules or {}
  vim.health.ok(("%d rules and remembered yeses (:Drawbridge rules)"):format(#all))
  for _, rule in ipairs(all) do
    if rule.problem and rule.problem ~= "" then
      vim.health.warn(visible.text(("%s does not count: %s (%s)"):format(rule.rule, rule.problem, rule.where or rule.source)))
    end
  end
end

function M.check()
  neovim()
  local cmd = program()
  if cmd then
    doctor(cmd)
    connection()
    if client.is_ready() then
      rules()
    end
  end
end

return M
