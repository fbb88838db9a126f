--- What the bridge says, in words that help in Neovim: it names methods of the
--- protocol and flags of its own commands, a person here has :Drawbridge.

local M = {}

--- Whole sayings for which a command alone makes no sentence.
---@type table<string, string>
local sayings = {
  ["send session/prompt"] = "send it as a new prompt",
  ["use session/steer to add to it, or session/cancel to end it"] = "a prompt adds to it, :Drawbridge stop ends it",
  ["session/load opens one from the disk, session/list names them"] = ":Drawbridge sessions opens earlier ones",
  ["leave expectedTurnId out to steer whichever turn runs"] = "send it again",
  ["send at least one content block"] = "write something first",
  ["send initialize first"] = ":Drawbridge restart starts the bridge anew",
  ["send exit and start the program again"] = ":Drawbridge restart starts the bridge anew",
}

--- The command for each method that a saying may name.
---@type table<string, string>
local commands = {
  ["session/prompt"] = "prompt",
  ["session/steer"] = "prompt",
  ["session/cancel"] = "stop",
  ["session/continue"] = "continue",
  ["session/new"] = "new",
  ["session/load"] = "sessions",
  ["session/list"] = "sessions",
  ["session/configure"] = "mode",
  ["change/show"] = "diff",
  ["change/list"] = "diff",
  ["change/resolve"] = "review",
  ["change/resolveAll"] = "changes",
  ["checkpoint/list"] = "rewind",
  ["checkpoint/preview"] = "rewind",
  ["checkpoint/restore"] = "rewind",
  ["terminal/list"] = "terminals",
  ["terminal/kill"] = "kill",
  ["approval/list"] = "approvals",
  ["rules/list"] = "rules",
  ["rules/forget"] = "rules",
  ["trust/list"] = "trust",
  ["trust/answer"] = "trust",
  ["model/list"] = "model",
  ["model/key"] = "key",
  ["subagent/list"] = "subagents",
  ["subagent/kill"] = "subagents",
}

--- A saying of the bridge for a person in Neovim.
---@param text string
---@return string
function M.plain(text)
  if sayings[text] then
    return sayings[text]
  end
  text = text:gsub("%s*%(an editor has a command that sets a key%)", ""):gsub("%-%-model%f[%A]", ":Drawbridge model")
  return (text:gsub("%f[%a]%l+/%a+", function(name)
    return commands[name] and ":Drawbridge " .. commands[name] or nil
  end))
end

--- Whether a key would help against a failure.
---@param hint? string What the bridge says that helps.
---@param kind? string
---@return boolean
function M.wants_key(hint, kind)
  return kind == "auth" or (hint ~= nil and hint:find("%u+_API_KEY") ~= nil)
end

--- What helps against a failure, with the command where that is one.
---@param hint? string
---@param kind? string
---@return string?
function M.help(hint, kind)
  hint = hint and hint ~= "" and M.plain(hint) or nil
  if not M.wants_key(hint, kind) then
    return hint
  end
  return ":Drawbridge key hands over a key" .. (hint and "; or " .. hint or "")
end

---@param change drawbridge.Change
---@return string
local function outcome(change)
  if change.edited and (change.state == "applied" or change.state == "partly") then
    return "applied, edited by you"
  end
  return change.state == "partly" and "partly applied" or change.state
end

--- What became of a change.
---@param change drawbridge.Change
---@return string
function M.change(change)
  if not change.byCommand then
    return outcome(change)
  elseif change.gone then
    return "by a command; what it was is not kept"
  end
  return "by a command" .. (change.state == "applied" and "" or ", " .. outcome(change))
end

return M
