import BackgroundTransfer
import Testing
import TransferWire

@Suite("The service of a user")
struct ConnectorTests {
    @Test(
        "Its state is where the environment says",
        arguments: [
            (["GREENROOM_TRANSFERS": "/a", "XDG_STATE_HOME": "/b", "HOME": "/c"], "/a"),
            (["XDG_STATE_HOME": "/b", "HOME": "/c"], "/b/greenroom-transfers"),
            (["HOME": "/c"], "/c/.local/state/greenroom-transfers"),
        ])
    func home(_ environment: [String: String], _ home: String) {
        #expect(StandaloneConnector.home { environment[$0] } == home)
    }

    @Test(
        "A program's name becomes an identifier that the service takes",
        arguments: [
            ("podcasts", "podcasts"), ("org.example.app-2", "org.example.app-2"), ("Mein Gerät", "Mein-Ger-t"),
            ("", "program"),
            (String(repeating: "x", count: 200), String(repeating: "x", count: 127)),
        ])
    func identifier(_ name: String, _ identifier: String) {
        #expect(StandaloneConnector.identifier(name) == identifier)
    }

    @Test("Nobody is reached where nobody listens, and nothing is started without a program")
    func nobody() {
        let connector = StandaloneConnector(
            home: "/nowhere/\(String(repeating: "long", count: 40))", program: nil, app: "test", container: "/tmp")
        #expect(connector.connect() == nil)
        #expect(connector.introduction?.app == "test")
    }
}
