internal import PushLink

/// Who sends, and to which topics it may.
package struct ProviderIdentity: Hashable, Sendable {
    package enum Topics: Hashable, Sendable {
        case any
        /// These apps, by any of their topics.
        case apps(Set<String>)
        /// These and no others.
        case exactly(Set<String>)
    }

    /// The team of a token, or the subject of a certificate: for logs.
    package var name: String
    package var topics: Topics
    /// What `apns-topic` is when it is left out.
    package var onlyTopic: String?

    package init(name: String, topics: Topics, onlyTopic: String? = nil) {
        self.name = name
        self.topics = topics
        self.onlyTopic = onlyTopic
    }

    package func allows(_ topic: String) -> Bool {
        switch topics {
        case .any: true
        case .apps(let apps): apps.contains(topic) || apps.contains(LinkPushType.app(of: topic))
        case .exactly(let topics): topics.contains(topic)
        }
    }
}

/// A key of a team with which its tokens are signed.
package struct ProviderKey: Hashable, Sendable {
    package var id: String
    package var team: String
    /// `nil`: all topics.
    package var apps: Set<String>?
    /// What it sends is forbidden, for the time being.
    package var isSuspended: Bool

    package init(id: String, team: String, apps: Set<String>? = nil, isSuspended: Bool = false) {
        self.id = id
        self.team = team
        self.apps = apps
        self.isSuspended = isSuspended
    }

    package func identity() throws(PushRejection) -> ProviderIdentity {
        guard !isSuspended else { throw PushRejection(.forbidden) }
        return ProviderIdentity(name: team, topics: apps.map { .apps($0) } ?? .any)
    }
}

/// What a client's certificate says, read and verified by its owner.
package struct CertificateFacts: Hashable, Sendable {
    /// Signed by an authority of the gateway, and good at this time.
    package var isTrusted: Bool
    /// `UID` of the subject: the app.
    package var user: String?
    /// `CN` of the subject, as “Apple Push Services: com.example.app”.
    package var commonName: String?
    /// The topics of Apple's extension 1.2.840.113635.100.6.3.6.
    package var topics: [String]
    /// It has the extensions of the two environments: 1.2.840.113635.100.6.3.1 and .2.
    package var isForDevelopment: Bool
    package var isForProduction: Bool

    package init(
        isTrusted: Bool, user: String? = nil, commonName: String? = nil, topics: [String] = [],
        isForDevelopment: Bool = false, isForProduction: Bool = false
    ) {
        self.isTrusted = isTrusted
        self.user = user
        self.commonName = commonName
        self.topics = topics
        self.isForDevelopment = isForDevelopment
        self.isForProduction = isForProduction
    }

    package enum Environment: String, Sendable, CaseIterable { case production, development }

    package func identity(in environment: Environment) throws(PushRejection) -> ProviderIdentity {
        guard isTrusted else { throw PushRejection(.badCertificate) }
        // One that names no environment is for both.
        let isForThis = environment == .production ? isForProduction : isForDevelopment
        guard isForThis || !isForProduction && !isForDevelopment else {
            throw PushRejection(.badCertificateEnvironment)
        }
        if !topics.isEmpty {
            return ProviderIdentity(
                name: user ?? topics[0], topics: .exactly(Set(topics)), onlyTopic: topics.count == 1 ? topics[0] : nil)
        }
        guard let app = user ?? commonName?.split(separator: " ").last.map(String.init), LinkRules.isTopic(app) else {
            throw PushRejection(.badCertificate)
        }
        return ProviderIdentity(name: app, topics: .apps([app]), onlyTopic: app)
    }
}
