import Glibc
import LinuxSystem
import ServiceTesting
import Testing
import TransferWire
import Wire

@Suite("Network service types on the wire")
struct ServiceTypeTests {
    /// The service class (DSCP) with which the service's connection arrived.
    private func arrived(
        session: TransferServiceType? = nil, request: TransferServiceType? = nil
    ) throws -> UInt8? {
        let listener = try TestListener(readsServiceClass: true)
        let service = try TestService()
        let client = try service.client()
        try client.open(TransferSettings(serviceType: session))
        let info = TransferRequestInfo(url: listener.url, method: "GET", serviceType: request)
        let create = TransferCreate(session: client.session, task: 1, kind: .download, request: info)
        try client.peer.ask("create", create.json)
        try client.resume(1)
        try listener.waitForRequest()
        withExtendedLifetime(service) {}
        return listener.serviceClass
    }

    @Test(
        "Packets have the service class of what the app says that they are for",
        arguments: [
            (nil, 0), (.background, 8), (.voip, 24), (.callSignaling, 24), (.video, 34), (.voice, 46),
        ] as [(TransferServiceType?, UInt8)])
    func marked(_ type: TransferServiceType?, _ serviceClass: UInt8) throws {
        #expect(try arrived(request: type) == serviceClass)
    }

    @Test("The session's service type is that of a request without one of its own")
    func session() throws {
        #expect(try arrived(session: .background) == 8)
        #expect(try arrived(session: .background, request: .voice) == 46)
    }

    @Test("Every service type is read as it was written, and one that is left out stays so")
    func records() throws {
        for type in TransferServiceType.allCases + [nil] {
            let settings = TransferSettings(serviceType: type)
            #expect(try TransferSettings(json: settings.json).serviceType == type)
            let request = TransferRequestInfo(url: "http://a/", method: "GET", serviceType: type)
            #expect(try TransferRequestInfo(json: request.json).serviceType == type)
        }
        #expect(try TransferSettings(json: [:]).serviceType == nil)
        #expect(throws: RPCError.self) { try TransferSettings(json: ["serviceType": "loud"]) }
    }
}
