-- The page of rules: where each is from and stands, going there, and forgetting what is
-- remembered.

package.path = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h") .. "/?.lua;" .. package.path
local cases = require("cases")
local child_of = require("child")
local equal, holds = cases.equal, cases.holds

local here = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h")

---@param child test.Child
---@param result table
local function now(child, result)
  child:lua(
    [[require("drawbridge.client").notify("state/wanted", { method = ({ ... })[1], result = ({ ... })[2] })]],
    "rules/list",
    result
  )
end

---@return test.Child
local function start()
  local child = child_of.start({
    files = { ["settings.yaml"] = "one:\ntwo:\nthree:\n" },
    options = {
      cmd = {
        vim.v.progpath,
        "--clean",
        "-l",
        here .. "/fake.lua",
        '{"version":1,"serverVersion":"1"}',
        "=rules/list",
        '{"rules":[]}',
        "=rules/forget",
        '{"forgotten":true}',
      },
    },
  })
  child:ex("Drawbridge new")
  child:sees("Ask for a change")
  child:wait("a session", [[require("drawbridge.client").session() == "s1"]])
  child:keys("<Esc>")
  now(child, {
    rules = {
      { verdict = "deny", rule = "rm", source = "user", where = child.folder .. "/settings.yaml:2" },
      { verdict = "allow", rule = "held: go test", source = "grantWorkspace", where = child.folder .. "/grants:3" },
      { verdict = "allow", rule = "git (diff", source = "flag", where = "--allow", problem = "an unclosed\27 parenthesis" },
    },
  })
  child:ex("Drawbridge rules")
  child:sees("deny   rm")
  return child
end

---@param child test.Child
---@param key string
---@param line integer
local function at(child, key, line)
  child:keys(line .. "G" .. key)
end

cases.run({
  {
    "each rule says what it does, where it is from and why it does not count",
    function()
      local child = start()
      local text = child:lines("drawbridge://rules")
      holds(text[1]:find("^deny   rm%s+your settings  .*settings.yaml:2$"), text[1])
      holds(text[2]:find("^allow  held: go test%s+remembered, in this workspace  .*grants:3$"), text[2])
      holds(text[3]:find("git (diff", 1, true) and text[3]:find("does not count: an unclosed^[ parenthesis", 1, true), text[3])
    end,
  },
  {
    "a page that is closed gives its lines back to the conversation, not to the prompt",
    function()
      local child = start()
      local height = [[(function()
        local win = vim.fn.win_findbuf(vim.fn.bufnr("drawbridge://prompt"))[1]
        return win and vim.api.nvim_win_get_height(win)
      end)()]]
      child:ex("quit")
      child:wait("the page is closed", [[#vim.fn.win_findbuf(vim.fn.bufnr("drawbridge://rules")) == 0]])
      local before = child:wait("the prompt", height)
      child:ex("Drawbridge rules")
      child:sees("deny   rm")
      child:ex("quit")
      child:wait("as before", ("%s == %d"):format(height, before))
      -- In one breath: it is closed, and the next page opens.
      child:ex("Drawbridge rules")
      child:sees("deny   rm")
      child:lua([[vim.cmd("quit | Drawbridge rules")]])
      child:sees("deny   rm")
      child:ex("quit")
      child:wait("closed", [[#vim.fn.win_findbuf(vim.fn.bufnr("drawbridge://rules")) == 0]])
      child:wait("as before", ("%s == %d"):format(height, before))
    end,
  },
  {
    ":checkhealth counts them, and says which cannot be read",
    function()
      local child = start()
      child:lua([[vim.cmd("silent checkhealth drawbridge")]])
      local health = table.concat(child:lines(), "\n")
      holds(health:find("3 rules and remembered yeses", 1, true), health)
      holds(health:find("git (diff does not count: an unclosed^[ parenthesis (--allow)", 1, true), health)
      holds(health:find("no folder brings settings that wait", 1, true), health)
    end,
  },
  {
    "Enter goes to the line of the file; of what stands in no file it says so",
    function()
      local child = start()
      at(child, "<CR>", 1)
      child:wait("the file", [[vim.fn.expand("%:t") == "settings.yaml" and vim.fn.line(".") == 2]])
      child:ex("Drawbridge rules")
      at(child, "<CR>", 3)
      child:hears("that rule stands in no file: a flag")
      -- The bridge names a column, too, for what stands in settings.
      now(child, { rules = { { verdict = "deny", rule = "rm", source = "user", where = child.folder .. "/settings.yaml:3:2" } } })
      child:keys("R")
      child:sees("settings.yaml:3:2")
      at(child, "<CR>", 1)
      child:wait("the place", [[vim.fn.expand("%:t") == "settings.yaml" and vim.deep_equal(vim.api.nvim_win_get_cursor(0), { 3, 1 })]])
    end,
  },
  {
    "what is built in is listed as that, and can be neither opened nor forgotten",
    function()
      local child = start()
      now(child, { rules = { { verdict = "deny", rule = "rm -rf /", source = "factory" } } })
      child:keys("R")
      child:sees("deny   rm -rf /  built in")
      at(child, "<CR>", 1)
      child:hears("that rule stands in no file: built in")
      at(child, "d", 1)
      child:hears("that is no remembered yes")
      holds(not (child:file("asked") or ""):find("rules/forget", 1, true), child:file("asked"))
    end,
  },
  {
    "what cannot be seen, or only looks like a space, is named in a rule",
    function()
      local child = start()
      local codes = { 0xA0, 0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x200B, 0x202E, 0x2028, 0x2029, 0x202F, 0x2800, 0x3000, 0x3164, 0xFE0F, 0xFEFF, 0xFFA0, 0xFFFC, 0x1D173, 0xE0001, 0xE0041, 0xE0100 }
      local plain = "naïve — 日本語 \194 \27"
      local rule, shown = plain, "naïve — 日本語 <c2> ^["
      for _, code in ipairs(codes) do
        rule, shown = rule .. vim.fn.nr2char(code, true), shown .. ("<U+%04X>"):format(code)
      end
      equal(shown, child:lua([[return require("drawbridge.visible").text(...)]], rule))
    end,
  },
  {
    "d forgets a remembered yes, to the letter, and nothing else",
    function()
      local child = start()
      at(child, "d", 1)
      child:hears("that is no remembered yes")
      holds(not (child:file("asked") or ""):find("rules/forget", 1, true), child:file("asked"))
      now(child, { rules = {} })
      at(child, "d", 2)
      child:hears("forgotten: held: go test")
      local params = vim.json.decode(child:file("asked"):match("rules/forget ([^\n]+)"))
      equal({ sessionId = "s1", rule = "held: go test", source = "grantWorkspace" }, params)
      child:sees("There is no rule, and nothing is remembered.")
    end,
  },
})
