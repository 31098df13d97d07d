import { Conflict } from '@svc/auth-core';
import { autocommit, idOf, sampleAccount } from '@svc/auth-core/testing';
import { describe, expect, it } from 'vitest';
import { type Open, opened } from './opened.ts';

export function teamSuite(open: Open): void {
  describe('teams', () => {
    const at = opened(open);

    it('the store of teams finds by id and exact name, lists by name', () => {
      const { teams } = autocommit(at.stores);
      teams.insert({ id: '1', name: 'zoo' });
      teams.insert({ id: '2', name: 'Ape' });
      expect(teams.byId('1')).toEqual({ id: '1', name: 'zoo' });
      expect(teams.byName('Ape')).toEqual({ id: '2', name: 'Ape' });
      expect(teams.byName('ape')).toBeUndefined();
      expect(teams.list().map(({ id }) => id)).toEqual(['2', '1']);
    });

    it('the store of teams refuses a name that is taken (contract 2, /teams)', () => {
      autocommit(at.stores).teams.insert({ id: '1', name: 'Lab' });
      expect(() => autocommit(at.stores).teams.insert({ id: '2', name: 'Lab' })).toThrow(Conflict);
      expect(autocommit(at.stores).teams.list()).toHaveLength(1);
    });

    it('an account carries its teams by name, and every change of them shows at once', () => {
      const { accounts, teams } = autocommit(at.stores);
      accounts.insert(sampleAccount('ann'));
      teams.insert({ id: '1', name: 'zoo' });
      teams.insert({ id: '2', name: 'ape' });
      const teamsOfAnn = () => accounts.byId(idOf('ann'))?.teams;
      expect(teamsOfAnn()).toEqual([]);
      teams.addMember('1', idOf('ann'));
      expect(teamsOfAnn()).toEqual([{ id: '1', name: 'zoo' }]);
      teams.addMember('2', idOf('ann'));
      expect(accounts.byAccessKey('svc_ann')?.teams).toEqual([
        { id: '2', name: 'ape' },
        { id: '1', name: 'zoo' },
      ]);
      expect(teams.removeMember('1', idOf('ann'))).toBe(true);
      expect(teamsOfAnn()).toEqual([{ id: '2', name: 'ape' }]);
      expect(accounts.list()[0]?.teams).toEqual([{ id: '2', name: 'ape' }]);
      teams.remove('2');
      expect(teamsOfAnn()).toEqual([]);
      expect(accounts.list()[0]?.teams).toEqual([]);
    });

    it('members come by creation time; adding one twice changes nothing', () => {
      const { accounts, teams } = autocommit(at.stores);
      accounts.insert(sampleAccount('young', { createdAt: 2 }));
      accounts.insert(sampleAccount('old', { createdAt: 1 }));
      teams.insert({ id: '1', name: 'Lab' });
      for (const name of ['young', 'old', 'young']) teams.addMember('1', idOf(name));
      expect(teams.membersOf('1').map(({ name }) => name)).toEqual(['old', 'young']);
      expect(teams.removeMember('1', idOf('young'))).toBe(true);
      expect(teams.removeMember('1', idOf('young'))).toBe(false);
    });

    it('the store of teams refuses a member or a team removed meanwhile', () => {
      const { accounts, teams } = autocommit(at.stores);
      accounts.insert(sampleAccount('ann'));
      teams.insert({ id: '1', name: 'Lab' });
      expect(() => teams.addMember('gone', idOf('ann'))).toThrow(Conflict);
      expect(() => teams.addMember('1', 'gone')).toThrow(Conflict);
    });
  });
}
