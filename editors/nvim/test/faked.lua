-- A child in a session of a bridge that says exactly what is wanted.

local child_of = require("child")

local M = {}

local here = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h")

--- Has the bridge say something; with an id it asks.
---@param child test.Child
---@param method string
---@param params table
---@param id? integer
function M.send(child, method, params, id)
  child:lua(
    [[
    local method, params, id = ...
    if id == vim.NIL then id = nil end
    require("drawbridge.client").notify("state/wanted", { id = id, method = method, params = params })
  ]],
    method,
    params,
    id
  )
end

--- Has the bridge answer a method by a result from now on.
---@param child test.Child
---@param method string
---@param result table
function M.answers(child, method, result)
  child:lua(
    [[
    local method, result = ...
    require("drawbridge.client").notify("state/wanted", { method = method, result = result })
  ]],
    method,
    result
  )
end

--- Starts a child in session s1, with a turn that runs.
---@param options? test.ChildOptions
---@param ... string More of what the bridge says or answers, as fake.lua takes it.
---@return test.Child
function M.start(options, ...)
  local cmd = { vim.v.progpath, "--clean", "-l", here .. "/fake.lua", '{"version":1,"serverVersion":"1"}', ... }
  local child = child_of.start(vim.tbl_deep_extend("force", { options = { cmd = cmd } }, options or {}))
  child:ex("Drawbridge")
  child:keys("<Esc>")
  child:ex("Drawbridge new")
  child:wait("a session", [[require("drawbridge.client").session() == "s1"]])
  child:keys("<Esc>")
  M.send(child, "turn/started", { sessionId = "s1", seq = 1, turnId = "t1", prompt = { { type = "text", text = "go" } } })
  child:wait("a turn", [[require("drawbridge.state").current().turnId == "t1"]])
  return child
end

--- What the editor asked of the bridge by a method, oldest first.
---@param child test.Child
---@param method string
---@return table[]
function M.asked(child, method)
  local found = {}
  for line in vim.gsplit(child:file("asked") or "", "\n", { plain = true, trimempty = true }) do
    local name, params = line:match("^(%S+) (.*)$")
    if name == method then
      table.insert(found, vim.json.decode(params))
    end
  end
  return found
end

--- What the editor answered, oldest first.
---@param child test.Child
---@return any[]
function M.answered(child)
  return vim.tbl_map(vim.json.decode, vim.split(child:file("answers") or "", "\n", { trimempty = true }))
end

return M
