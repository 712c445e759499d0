import DBus
import Testing

@Suite("Types on a bus")
struct TypeTests {
    @Test(
        "A signature and its types are the same in both directions",
        arguments: [
            "", "y", "ybnqiuxtdsoghv", "as", "aas", "a{sv}", "a{s(ua{yv})}", "(ii)", "((i)(ay))", "a(sa{sv})",
            "susssasa{sv}i",
        ])
    func signatures(_ text: String) throws {
        let types = try #require(DBusType.list(text))
        #expect(types.code == text)
    }

    @Test(
        "What is no signature is refused",
        arguments: [
            "a", "(", ")", "()", "(i", "i)", "{sv}", "a{s}", "a{sii}", "a{vs}", "a{ass}", "a{sv", "z", "r", "e", "é",
        ])
    func refused(_ text: String) { #expect(DBusType.list(text) == nil) }

    @Test("A signature is as long and as deep as D-Bus allows, and no more")
    func limits() {
        #expect(DBusType.list(String(repeating: "y", count: 255)) != nil)
        #expect(DBusType.list(String(repeating: "y", count: 256)) == nil)
        #expect(DBusType.list(String(repeating: "a", count: 32) + "y") != nil)
        #expect(DBusType.list(String(repeating: "a", count: 33) + "y") == nil)
        let (open, close) = (String(repeating: "(", count: 32), String(repeating: ")", count: 32))
        #expect(DBusType.list(open + "y" + close) != nil)
        #expect(DBusType.list("(" + open + "y" + close + ")") == nil)
    }

    @Test("One type is one")
    func one() {
        #expect(DBusType("a{sv}") == .dictionary(key: .string, value: .variant))
        #expect(DBusType("ss") == nil)
        #expect(DBusType("") == nil)
    }

    @Test("Names are what D-Bus allows")
    func names() {
        #expect(DBusObjectPath(text: "/") != nil && DBusObjectPath(text: "/org/a_1") != nil)
        for wrong in ["", "a", "/a/", "//", "/a b", "/a\0b", "/ä"] { #expect(DBusObjectPath(text: wrong) == nil) }
        #expect(DBusNames.isInterface("org.freedesktop.DBus") && !DBusNames.isInterface("org"))
        #expect(DBusNames.isMember("Notify") && !DBusNames.isMember("No.tify"))
        #expect(DBusNames.isBusName(":1.5") && DBusNames.isBusName("org.a") && !DBusNames.isBusName("a"))
        #expect(DBusNames.isUnique(":1.5") && !DBusNames.isUnique("org.a"))
    }

    @Test("A path in an address is escaped as D-Bus asks for")
    func addresses() {
        #expect(DBusAddress.path("/run/user/1000/bus") == "unix:path=/run/user/1000/bus")
        #expect(DBusAddress.path("/a b,c;\n") == "unix:path=/a%20b%2cc%3b%0a")
        #expect(DBusAddress.at("unix:abstract=x").text == "unix:abstract=x")
    }

    @Test("Values are read by what they mean")
    func accessors() {
        let dictionary = DBusValue.properties(["name": .string("a"), "count": .uint32(3)])
        #expect(dictionary["name"] == .string("a") && dictionary["count"]?.int == 3 && dictionary["other"] == nil)
        #expect(DBusValue.variant(.variant(.boolean(true))).plain.bool == true)
        #expect(DBusValue.uint64(.max).int == nil && DBusValue.double(1.5).number == 1.5)
        #expect(DBusValue.byte(7).number == 7 && DBusValue.string("7").int == nil)
        #expect(DBusValue.strings(["a", "b"]).strings == ["a", "b"])
        #expect(DBusValue.bytes([1]).type == .array(.byte))
    }
}
