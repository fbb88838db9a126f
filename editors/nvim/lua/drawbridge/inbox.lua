--- What the bridge sends: notifications for whoever listens, and questions that are
--- answered when a person has made up their mind.

local protocol = require("drawbridge.protocol")
local say = require("drawbridge.say")
local state = require("drawbridge.state")

local M = {}

---@class drawbridge.RequestContext Of a question of the bridge.
---@field withdrawn fun(fn: fun()) Calls fn when the bridge no longer wants an answer, unless it was given.

---@alias drawbridge.Respond fun(result: any, err?: string)
---@alias drawbridge.Answerer fun(params: table, respond: drawbridge.Respond, ctx: drawbridge.RequestContext)

---@class drawbridge.Question A request without an answer.
---@field params table
---@field on_withdrawn (fun())[]
---@field finish fun(result: any, err?: lsp.ResponseError) The first call counts.

---@type table<string, (fun(params: table))[]>
local listeners = {}
---@type table<string, drawbridge.Answerer>
local answerers = {}
---@type table<drawbridge.Question, true>
local open = {}

---@param code string A name of vim.lsp.protocol.ErrorCodes.
---@param message any
---@return lsp.ResponseError
local function refusal(code, message)
  return vim.lsp.rpc.rpc_response_error(vim.lsp.protocol.ErrorCodes[code], tostring(message))
end

--- Takes questions back: those that fit, or all.
---@param fits? fun(params: table): boolean
function M.withdraw(fits)
  for _, question in ipairs(vim.tbl_keys(open)) do
    if open[question] and (not fits or fits(question.params)) then
      question.finish(nil, refusal("RequestCancelled", "withdrawn"))
      for _, fn in ipairs(question.on_withdrawn) do
        local ok, trace = xpcall(fn, debug.traceback)
        if not ok then
          say.fault("withdrawn", trace)
        end
      end
    end
  end
end

--- Hands a notification to the conversations and then to who listens.
---@param method string
---@param params table
function M.dispatch(method, params)
  if method == "approval/resolved" then
    M.withdraw(function(asked)
      return asked.approvalId == params.approvalId and asked.sessionId == params.sessionId
    end)
  end
  state.apply(method, params)
  -- A copy, since a listener may take itself off the list.
  for _, fn in ipairs(vim.list_slice(listeners[method] or {})) do
    local ok, err = xpcall(fn, debug.traceback, params)
    if not ok then
      say.fault(method, err)
    end
  end
end

--- Hands a question to who answers it. What goes wrong there is an answer, too.
---@param method string
---@param question drawbridge.Question
local function ask(method, question)
  state.apply(method, question.params)
  local ok, trace = xpcall(answerers[method], debug.traceback, question.params, function(result, err)
    if err then
      question.finish(nil, refusal("InternalError", err))
    else
      question.finish(result == nil and vim.NIL or result)
    end
  end, {
    withdrawn = function(fn)
      table.insert(question.on_withdrawn, fn)
    end,
  })
  if not ok then
    say.fault(method, trace)
    question.finish(nil, refusal("InternalError", trace))
  end
end

--- Makes a handler that may be answered at any later time. vim.lsp runs it in a
--- coroutine of its own and sends what it returns, so it sleeps in there while
--- the editor goes on. The number of the request is not shown to handlers: the wire
--- knows it, and takes a question back by its params.
---@param method string
---@return lsp.Handler
local function question_handler(method)
  return function(_, params)
    local co = assert(coroutine.running())
    local asleep, answered, result, err = false, false, nil, nil
    ---@type drawbridge.Question
    local question = { params = type(params) == "table" and params or {}, on_withdrawn = {}, finish = function() end }
    question.finish = function(r, e)
      if answered then
        return
      end
      answered, result, err = true, r, e
      open[question] = nil
      if asleep then
        local ok, trace = coroutine.resume(co)
        if not ok then
          say.fault(method, trace)
        end
      end
    end
    open[question] = true
    ask(method, question)
    if not answered then
      asleep = true
      coroutine.yield()
    end
    return result, err
  end
end

--- Handlers for vim.lsp: every notification of the protocol, and the requests
--- that somebody answers. What is not listed goes to vim.lsp's own, or nowhere.
---@return table<string, lsp.Handler>
function M.handlers()
  ---@type table<string, lsp.Handler>
  local all = {}
  local heard = { "window/showMessage", "window/logMessage" }
  for name, method in pairs(protocol.methods) do
    if method.direction == "bridge to editor" and method.kind == "notification" then
      table.insert(heard, name)
    end
  end
  for _, name in ipairs(heard) do
    all[name] = function(_, params)
      M.dispatch(name, params)
    end
  end
  for name in pairs(answerers) do
    all[name] = question_handler(name)
  end
  return all
end

---@param method string
---@param fn fun(params: table)
---@return fun() off
function M.on(method, fn)
  local list = listeners[method]
  if not list then
    list = {}
    listeners[method] = list
  end
  table.insert(list, fn)
  return function()
    for i, other in ipairs(list) do
      if other == fn then
        table.remove(list, i)
        return
      end
    end
  end
end

---@param method string
---@param fn drawbridge.Answerer
function M.answer(method, fn)
  answerers[method] = fn
end

---@param method string
---@return boolean
function M.answers(method)
  return answerers[method] ~= nil
end

---@param method string
---@return boolean
function M.hears(method)
  return listeners[method] ~= nil
end

return M
