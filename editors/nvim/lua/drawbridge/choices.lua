--- Who answers, and which model is asked: named outright or chosen from a list.

local models = require("drawbridge.models")
local say = require("drawbridge.say")
local sessions = require("drawbridge.sessions")
local state = require("drawbridge.state")

local M = {}

--- What each mode means, in a line.
---@type table<drawbridge.Mode, string>
local mode_meaning = {
  ["always-ask"] = "asks you for every write and every command",
  ["auto-edit"] = "applies edits at once, to be reviewed afterwards; the rest asks",
  ["read-only"] = "reads without a question; everything else asks",
  ["plan"] = "changes nothing; the model proposes what it would do",
  ["allow-all"] = "everything that the preset allows happens",
  ["deny-all"] = "denies whatever would need a decision",
}

--- Changes who answers; asks which when none is named.
---@param mode? drawbridge.Mode
function M.mode(mode)
  if mode and mode ~= "" then
    sessions.configure({ mode = mode })
    return
  end
  local c = state.current()
  local now = c and c.session and c.session.mode
  vim.ui.select(require("drawbridge.protocol").modes, {
    prompt = "Who answers",
    kind = "drawbridge.mode",
    format_item = function(m)
      return ("%s: %s%s"):format(m, mode_meaning[m] or "", m == now and " (now)" or "")
    end,
  }, function(choice)
    if choice then
      sessions.configure({ mode = choice })
    end
  end)
end

--- Asks for a model by its name: of a script, or of a server that lists none.
local function type_model()
  vim.ui.input({ prompt = "Model, as PROVIDER:NAME: " }, function(name)
    if name and vim.trim(name) ~= "" then
      sessions.configure({ model = vim.trim(name) })
    end
  end)
end

---@param dollars number
---@return string
local function price(dollars)
  return (("%.3f"):format(dollars):gsub("(%.%d%d)0$", "%1"):gsub("%.00$", ""))
end

--- What is known of a model, behind its name.
---@param m drawbridge.Model
---@return string
function M.describe(m)
  local facts = { m.id }
  if m.contextTokens then
    table.insert(facts, ("%dk tokens"):format(m.contextTokens / 1000))
  end
  if m.vision then
    table.insert(facts, "reads pictures")
  end
  if m.thinking and #m.thinking > 0 then
    table.insert(facts, "thinks")
  end
  if m.price then
    table.insert(facts, ("$%s in, $%s out per million"):format(price(m.price.input), price(m.price.output)))
  end
  return table.concat(facts, " · ")
end

--- What can be chosen: the model that is asked now, those that are ready, another
--- by its name, and what a key is missing for.
---@param result drawbridge.ModelListResult
---@return { label: string, act: fun() }[]
local function model_choices(result)
  local c = state.current()
  local now = c and c.session and c.session.model or ""
  local choices = {}
  local function add(label, act)
    table.insert(choices, { label = label, act = act })
  end
  if now ~= "" then
    local known = vim.iter(result.models):find(function(m)
      return m.id == now
    end)
    add((known and M.describe(known) or now) .. " (now)", function() end)
  end
  for _, m in ipairs(result.models) do
    if m.id ~= now then
      add(M.describe(m), function()
        sessions.configure({ model = m.id })
      end)
    end
  end
  add("Another, by its name (PROVIDER:NAME)…", type_model)
  for _, provider in ipairs(result.providers) do
    if not provider.ready then
      add(("%s: hand over a key… (%s)"):format(provider.name, provider.hint or "not ready"), function()
        require("drawbridge.keys").enter(provider.name)
      end)
    end
  end
  return choices
end

--- Changes the model; asks which when none is named.
---@param model? string
function M.model(model)
  if model and model ~= "" then
    sessions.configure({ model = model })
    return
  end
  models.list(function(err, result)
    if err or not result then
      say.failure(err or { message = "no model is known" })
      return
    end
    vim.ui.select(model_choices(result), {
      prompt = "Model",
      kind = "drawbridge.model",
      format_item = function(choice)
        return choice.label
      end,
    }, function(choice)
      if choice then
        choice.act()
      end
    end)
  end)
end

return M
