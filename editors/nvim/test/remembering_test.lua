-- What a yes leaves behind, on the real bridge: a rule that is remembered in the
-- workspace asks no more, one that was rewritten covers what it says, what is forgotten
-- is asked about anew. A question that waits is brought to mind. What a folder brings
-- counts for nobody who has not trusted exactly it.

package.path = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h") .. "/?.lua;" .. package.path
local cases = require("cases")
local child_of = require("child")
local equal, holds = cases.equal, cases.holds

-- A vim.ui.select that keeps what it was asked.
local keeping = [[
  asked = {}
  vim.ui.select = function(items, opts, cb)
    table.insert(asked, { prompt = opts.prompt, labels = vim.tbl_map(opts.format_item or tostring, items), items = items, cb = cb })
  end
]]

---@param commands string[]
---@return string
local function script(commands)
  local lines = {}
  for i, command in ipairs(commands) do
    table.insert(lines, ("call c%d exec_command %s"):format(i, vim.json.encode({ cmd = command })))
    table.insert(lines, "----")
  end
  return table.concat(lines, "\n") .. '\ntext "Done."\n'
end

---@param commands string[]
---@param more? table
---@return test.Child
local function start(commands, more)
  local options = { before = keeping, files = { ["src/a.txt"] = "one\n" }, script = script(commands) }
  return child_of.start(vim.tbl_extend("force", options, more or {}))
end

---@param child test.Child
local function prompt(child)
  child:lua("ended = nil")
  child:ex("Drawbridge prompt go")
end

---@param child test.Child
---@param command string
local function waits(child, command)
  child:wait("it is asked about " .. command, function()
    local pending = child:lua([[return require("drawbridge.approvals").pending()]])
    return #pending == 1 and pending[1].command.text == command
  end)
end

---@param child test.Child
local function over(child)
  child:wait("the turn is over", [[(function()
    local c = require("drawbridge.state").current()
    return c and c.lastTurn and not c.turnId
  end)()]])
end

---@param child test.Child
---@param part string
---@return string label
local function choose(child, part)
  return child:lua(
    [[
    local part, select = ..., table.remove(asked)
    for i, label in ipairs(select.labels) do
      if label:find(part, 1, true) then
        vim.schedule(function() select.cb(select.items[i]) end)
        return label
      end
    end
    error(vim.inspect(select.labels))
  ]],
    part
  )
end

---@param child test.Child
local function ask(child)
  child:ex("Drawbridge approvals")
  child:wait("the choice is shown", "#asked > 0")
end

---@param child test.Child
local function typing(child)
  child:wait("a line is asked for", function()
    local mode = vim.rpcrequest(child.job, "nvim_get_mode")
    return mode.blocking or mode.mode == "c"
  end)
end

---@param child test.Child
---@param text string
local function settings(child, text)
  local path = child.home .. "/config/drawbridge/config.yaml"
  vim.fn.mkdir(vim.fs.dirname(path), "p")
  vim.fn.writefile(vim.split(text, "\n"), path)
end

---@param child test.Child
---@param text string
local function brings(child, text)
  vim.fn.mkdir(child.folder .. "/.drawbridge", "p")
  vim.fn.writefile(vim.split(text, "\n"), child.folder .. "/.drawbridge/config.yaml")
end

cases.run({
  {
    "a rule remembered in the workspace asks no more, in another conversation neither; forgotten, it is asked about again",
    function()
      local child = start({ "ls src", "ls -l src" })
      prompt(child)
      waits(child, "ls src")
      ask(child)
      local label = choose(child, "in this workspace")
      local rule = label:match(": (.+)$")
      holds(rule and rule:find("ls", 1, true), label)
      child:hears("remembered in this workspace: " .. rule)
      over(child)
      child:sees("ls -l src  done")
      local item = child:lua([[return require("drawbridge.state").current().calls.c2]])
      holds(item.decision and item.decision ~= vim.NIL, "the call says what decided: " .. vim.inspect(item))
      child:ex("Drawbridge new")
      prompt(child)
      child:sees("Done.")
      over(child)
      equal(0, child:lua([[return #require("drawbridge.approvals").pending()]]))
      -- It stands outside the repository, and is seen and forgotten in the page.
      child:ex("Drawbridge rules")
      child:sees("remembered, in this workspace")
      local line = child:wait("its line", function()
        for i, text in ipairs(child:lines("drawbridge://rules") or {}) do
          if text:find("remembered, in this workspace", 1, true) then
            return i
          end
        end
      end)
      child:keys(line .. "G<CR>")
      child:wait("the file", [[vim.api.nvim_get_current_line():find("ls", 1, true) ~= nil and vim.bo.buftype == ""]])
      local path = child:lua([[return vim.api.nvim_buf_get_name(0)]])
      holds(vim.startswith(path, child.home .. "/state/"), path)
      child:ex("Drawbridge rules")
      child:keys(line .. "Gd")
      child:hears("forgotten: " .. rule)
      child:ex("Drawbridge new")
      prompt(child)
      waits(child, "ls src")
    end,
  },
  {
    "a rule that was rewritten covers what it says now, and no more",
    function()
      local child = start({ "ls src", "ls src", "ls" })
      prompt(child)
      waits(child, "ls src")
      ask(child)
      choose(child, "Rewrite the rule")
      child:wait("which one", "#asked > 0")
      choose(child, "in this workspace")
      typing(child)
      child:keys("<C-u>ls src <lt>end><CR>")
      child:hears("remembered in this workspace: ls src <end>")
      waits(child, "ls")
      child:ex("Drawbridge deny " .. child:lua([[return require("drawbridge.approvals").pending()[1].approvalId]]))
      over(child)
    end,
  },
  {
    "a rewritten rule that does not cover what is asked is no yes (F16)",
    function()
      local child = start({ "touch made" })
      prompt(child)
      waits(child, "touch made")
      ask(child)
      choose(child, "Rewrite the rule")
      child:wait("which one", "#asked > 0")
      choose(child, "in this workspace")
      typing(child)
      child:keys("<C-u>ls<CR>")
      child:hears("asked again, since ls was not taken")
      holds(not child:file("made"), "it did not run")
      waits(child, "touch made")
      child:ex("Drawbridge deny a1")
      child:sees("denied")
      holds(not child:file("made"), "it did not run")
    end,
  },
  {
    "a question that waits is brought to mind, without taking a key (B26)",
    function()
      local child = start({ "touch made" })
      settings(child, "approval:\n  remind: 1s")
      prompt(child)
      waits(child, "touch made")
      child:ex("enew")
      child:keys("ione<CR>")
      child:hears("waiting for you")
      child:keys("two<CR>")
      child:wait("typed", function()
        return vim.deep_equal(child:lines(), { "one", "two", "" })
      end)
      equal("drawbridge: waiting for you (1)", child:lua([[return require("drawbridge").statusline()]]))
      holds(not child:file("made"), "nothing was allowed")
    end,
  },
  {
    "a deny rule of the settings says so in the conversation, and nobody is asked",
    function()
      local child = start({ "rm src/a.txt" })
      settings(child, 'approval:\n  rules:\n    - deny: rm')
      prompt(child)
      over(child)
      child:sees("denied by rule `rm`")
      equal("one\n", child:file("src/a.txt"))
    end,
  },
  {
    "settings that the folder brings count once they are trusted, to the byte (F1, F2)",
    function()
      local child = start({ "ls src" })
      brings(child, 'approval:\n  rules:\n    - allow: ls')
      prompt(child)
      child:hears("this folder brings settings of its own")
      waits(child, "ls src")
      child:ex("Drawbridge trust")
      child:sees(".drawbridge/config.yaml")
      child:sees("allow: ls")
      vim.wait(1100)
      child:ex("Drawbridge trust yes")
      child:hears("trusted, as they are now")
      child:ex("Drawbridge stop")
      over(child)
      child:ex("Drawbridge new")
      prompt(child)
      child:sees("Done.")
      over(child)
      child:ex("Drawbridge rules")
      child:sees("this folder's settings")
      child:ex("quit")
      -- One byte more, and it is another text.
      brings(child, 'approval:\n  rules:\n    - allow: ls # twice')
      child:ex("Drawbridge new")
      prompt(child)
      child:hears("settings of this folder have changed")
      waits(child, "ls src")
      child:ex("Drawbridge trust no")
      child:hears("they do not count")
    end,
  },
})
